"""Who earns a reward: by the result that is published, or by what is shown where none is."""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, QuerySet

from competitions.core.rewards import FieldSummary, RankedPlayer, Tier, TierBasis, without_passed_over
from competitions.models import Competition, Revision, RewardTier
from competitions.selectors.results.revisions import published_ranking
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.models import Period
from leaderboards.selectors.exports.period_rows import visible_final_ranking
from leaderboards.selectors.visibility.hidden import hidden_in


def tiers_of(board: int, competition: Competition | None) -> QuerySet[RewardTier]:
    """The tiers of a board, and those of a competition on it."""
    of_board = Q(board=board)
    return RewardTier.objects.filter(of_board if competition is None else of_board | Q(competition=competition))


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A ranking that rewards follow: how many are in it, its rules, and all of it, best first, as often as it is asked
    for. Anybody who is left out is not in it, and the others have moved up, unless places stay empty."""

    total: int
    rules: Rules
    ranking: Callable[[], Iterable[RankedPlayer]]


def result_of(period: Period, published: Revision | None) -> RankedResult:
    """The published result, no matter who is banned since; those who are shown now where nothing is published."""
    total = period.players - len(hidden_in(period)) if published is None else published.total
    return RankedResult(total, period.rules, lambda: _ranking(period, published))


def earners_of(tier: Tier, result: RankedResult, passed_over: Set[int] = frozenset()) -> dict[int, int]:
    """Internal number → rank in the result of everybody who earns a tier.

    Those of ``passed_over`` (internal numbers) earn nothing and the next in line do. They still count in the field,
    so a percentage is of as many as before.
    """
    line = without_passed_over(result.ranking(), passed_over, result.rules.ties is Ties.DENSE)
    return {row.player: row.place for row in tier.earners(line, FieldSummary(result.total, result.rules.order))}


def rewards_to_grant(competition: Competition) -> int:
    """How many rewards a closed competition's tiers and its board's would grant now; none before it is closed."""
    period = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label).first()
    if period is None or competition.closed_at is None:
        return 0
    tiers = (Tier(TierBasis(row.kind), row.limit, row.from_rank) for row in tiers_of(competition.board_id, competition))
    result = result_of(period, None)
    return sum(len(earners_of(tier, result)) for tier in tiers)


def _ranking(period: Period, published: Revision | None) -> Iterator[RankedPlayer]:
    for rank, row in visible_final_ranking(period) if published is None else published_ranking(published, period):
        yield ranked_player(period, row.player_id, rank, (row.score, row.member))


def ranked_player(period: Period, player: int, rank: int, packed: tuple[float, str]) -> RankedPlayer:
    """A player (internal number) in their place, with the points that their packed score holds."""
    points, _ = period.rules.shown(period.layout.unpack(*packed).value)
    return RankedPlayer(player, rank, None if points is None else Decimal(points))
