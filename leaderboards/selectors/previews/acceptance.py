"""Preview how accepting quarantined entries changes the ranks of their periods."""

from collections import defaultdict
from collections.abc import Sequence

from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.errors import OutOfRange
from leaderboards.models import Period, QuarantinedEntry
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves
from leaderboards.selectors.previews.submissions import place_now
from leaderboards.stores.sql.writes import submission_state

MOST_COUNTED = 20  # periods: all standings of each are read


def preview_acceptance(rows: Sequence[QuarantinedEntry]) -> RankChanges | None:
    """Return the rank changes once all rows count, in this order; None if they lie in more than ``MOST_COUNTED``
    periods.

    The rows come with their period, its board, and their player. An entry that would be refused changes nothing.
    """
    by_period: dict[Period, dict[int, StandingState | None]] = defaultdict(dict)
    for row in rows:
        states = by_period[row.period]
        if row.player_id not in states:
            place = place_now(row.period, row.player)
            states[row.player_id] = place.state if place else None
        states[row.player_id] = _state_after(row, states[row.player_id])
    if len(by_period) > MOST_COUNTED:
        return None
    return sum_moves(moves_in(period, states) for period, states in by_period.items())


def _state_after(row: QuarantinedEntry, state: StandingState | None) -> StandingState | None:
    new = submission_state(row)._replace(at_ms=row.period.layout.quantize(milliseconds(row.at)))
    try:
        return evaluate(row.period.rules, state, new)
    except OutOfRange:
        return state
