"""Who earns a reward: by the result that is published, or by what is shown where none is."""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, QuerySet

from competitions.core.rewards import By, Field, Ranked, Tier, in_line
from competitions.models import Competition, Revision, RewardTier
from competitions.selectors.revisions import ranking_published
from leaderboards.core.rules import Rules, Ties
from leaderboards.models import Period
from leaderboards.selectors.export import ranking_of
from leaderboards.selectors.hidden import hidden_in


def tiers_of(board: int, competition: Competition | None) -> QuerySet[RewardTier]:
    """The tiers of a board, and those of a competition on it."""
    of_board = Q(board=board)
    return RewardTier.objects.filter(of_board if competition is None else of_board | Q(competition=competition))


@dataclass(frozen=True, slots=True)
class Result:
    """A ranking that rewards follow: how many are in it, its rules, and all of it, best first, as often as it is asked
    for. Anybody who is left out is not in it, and the others have moved up, unless places stay empty."""

    total: int
    rules: Rules
    ranking: Callable[[], Iterable[Ranked]]


def result_of(period: Period, published: Revision | None) -> Result:
    """The published result, no matter who is banned since; those who are shown now where nothing is published."""
    total = period.players - len(hidden_in(period)) if published is None else published.total
    return Result(total, period.rules, lambda: _ranking(period, published))


def earned(tier: Tier, result: Result, passed_over: Set[int] = frozenset()) -> dict[int, int]:
    """Internal number → rank in the result of everybody who earns a tier.

    Those of ``passed_over`` (internal numbers) earn nothing and the next in line do. They still count in the field,
    so a percentage is of as many as before.
    """
    line = in_line(result.ranking(), passed_over, result.rules.ties is Ties.DENSE)
    return {row.player: row.place for row in tier.earners(line, Field(result.total, result.rules.order))}


def rewards_to_grant(competition: Competition) -> int:
    """How many rewards a closed competition's tiers and its board's would grant now; none before it is closed."""
    period = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label).first()
    if period is None or competition.closed_at is None:
        return 0
    tiers = (Tier(By(row.kind), row.limit, row.from_rank) for row in tiers_of(competition.board_id, competition))
    result = result_of(period, None)
    return sum(len(earned(tier, result)) for tier in tiers)


def _ranking(period: Period, published: Revision | None) -> Iterator[Ranked]:
    for rank, row in ranking_of(period) if published is None else ranking_published(published, period):
        yield ranked(period, row.player_id, rank, (row.score, row.member))


def ranked(period: Period, player: int, rank: int, packed: tuple[float, str]) -> Ranked:
    """A player (internal number) in their place, with the points that their packed score holds."""
    points, _ = period.rules.shown(period.layout.unpack(*packed).value)
    return Ranked(player, rank, None if points is None else Decimal(points))
