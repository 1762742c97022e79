"""Who earns a reward: by the published result, or by the visible ranking if none is published."""

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
    """Return the tiers of a board, and of a competition on it."""
    of_board = Q(board=board)
    return RewardTier.objects.filter(of_board if competition is None else of_board | Q(competition=competition))


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A ranking for computing rewards: its total, its rules, and a function that yields it, best first.

    Excluded players are not in it, and the others have moved up, unless places stay empty.
    """

    total: int
    rules: Rules
    ranking: Callable[[], Iterable[RankedPlayer]]


def result_of(period: Period, published: Revision | None) -> RankedResult:
    """Return the published result, without regard to later bans; if none is published, the visible ranking."""
    total = period.players - len(hidden_in(period)) if published is None else published.total
    return RankedResult(total, period.rules, lambda: _ranking(period, published))


def earners_of(tier: Tier, result: RankedResult, passed_over: Set[int] = frozenset()) -> dict[int, int]:
    """Return internal number → rank in the result, for the players who earn a tier.

    ``passed_over`` players (internal numbers) earn nothing; the next players do. They still count in the field, so a
    percentage is of the same total.
    """
    eligible = without_passed_over(result.ranking(), passed_over, result.rules.ties is Ties.DENSE)
    return {row.player: row.place for row in tier.earners(eligible, FieldSummary(result.total, result.rules.order))}


def rewards_to_grant(competition: Competition) -> int:
    """Count the rewards that a closed competition would grant now, also by its board's tiers; 0 before it is closed."""
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
    """Return a ranked player (internal number) with the points of their packed score."""
    points, _ = period.rules.shown(period.layout.unpack(*packed).value)
    return RankedPlayer(player, rank, None if points is None else Decimal(points))
