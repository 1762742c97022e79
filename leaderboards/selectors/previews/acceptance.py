"""What accepting quarantined entries comes to for all ranks of their periods, before it is done."""

from collections import defaultdict
from collections.abc import Sequence

from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.errors import OutOfRange
from leaderboards.models import Period, QuarantinedEntry
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves
from leaderboards.selectors.previews.submissions import place_now
from leaderboards.stores.sql.writes import value_of

MOST_COUNTED = 20  # periods: in each all standings are read


def preview_acceptance(rows: Sequence[QuarantinedEntry]) -> RankChanges | None:
    """What ranks do once all of these count, in this order; None where they lie in too many periods to count.

    The rows come with their period, its board, and their player. What would be refused moves nothing.
    """
    by_period: dict[Period, dict[int, StandingState | None]] = defaultdict(dict)
    for row in rows:
        held = by_period[row.period]
        if row.player_id not in held:
            place = place_now(row.period, row.player)
            held[row.player_id] = place.state if place else None
        held[row.player_id] = _judged(row, held[row.player_id])
    if len(by_period) > MOST_COUNTED:
        return None
    return sum_moves(moves_in(period, held) for period, held in by_period.items())


def _judged(row: QuarantinedEntry, held: StandingState | None) -> StandingState | None:
    new = StandingState(value_of(row.points, row.fields), row.period.layout.quantize(milliseconds(row.at)))
    try:
        return evaluate(row.period.rules, held, new)
    except OutOfRange:
        return held
