"""Who earns a reward: by the result that is published, or by what is shown where none is."""

from collections.abc import Iterator, Set
from decimal import Decimal

from django.db.models import Q, QuerySet

from competitions.core.rewards import By, Field, Ranked, Tier, in_line
from competitions.models import Competition, Revision, RewardTier
from competitions.selectors.revisions import ranking_published
from leaderboards.core.rules import Ties
from leaderboards.models import Period
from leaderboards.selectors.export import ranking_of
from leaderboards.selectors.hidden import hidden_in


def tiers_of(board: int, competition: Competition | None) -> QuerySet[RewardTier]:
    """The tiers of a board, and those of a competition on it."""
    of_board = Q(board=board)
    return RewardTier.objects.filter(of_board if competition is None else of_board | Q(competition=competition))


def earned(
    tier: Tier, period: Period, published: Revision | None, passed_over: Set[int] = frozenset()
) -> dict[int, int]:
    """Internal number → rank in the result of everybody who earns a tier, by the published result no matter who is
    banned since; by who is shown now where nothing is published.

    Those of ``passed_over`` (internal numbers) earn nothing and the next in line do. They still count in the field,
    so a percentage is of as many as before.
    """
    total = period.players - len(hidden_in(period)) if published is None else published.total
    line = in_line(_ranking(period, published), passed_over, period.rules.ties is Ties.DENSE)
    return {row.player: row.place for row in tier.earners(line, Field(total, period.rules.order))}


def rewards_to_grant(competition: Competition) -> int:
    """How many rewards a closed competition's tiers and its board's would grant now; none before it is closed."""
    period = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label).first()
    if period is None or competition.closed_at is None:
        return 0
    tiers = (Tier(By(row.kind), row.limit, row.from_rank) for row in tiers_of(competition.board_id, competition))
    return sum(len(earned(tier, period, None)) for tier in tiers)


def _ranking(period: Period, published: Revision | None) -> Iterator[Ranked]:
    """Anybody who is left out is not in it, and the others have moved up, unless places stay empty."""
    for rank, row in ranking_of(period) if published is None else ranking_published(published, period):
        points, _ = period.rules.shown(period.layout.unpack(row.score, row.member).value)
        yield Ranked(row.player_id, rank, None if points is None else Decimal(points))
