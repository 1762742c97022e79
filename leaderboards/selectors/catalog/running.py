"""The running periods of many boards, with how many players each has: what lists of boards show.

However many boards there are, it is one statement for their periods, one for who is not shown in them, and one round
trip to Redis.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors.catalog.periods import CURRENT, PeriodInfo, period_info_or_window, periods_by_label
from leaderboards.selectors.rankings.store_routing import totals


@dataclass(frozen=True, slots=True)
class RunningPeriodInfo:
    """A board's running period, how many players it has, when that was so, and the rules that it goes by."""

    period: PeriodInfo
    total: int
    as_of: datetime
    rules: Rules


def running_periods(boards: Collection[Board]) -> dict[int, RunningPeriodInfo]:
    """By the boards' numbers; those of events have none. Raises ``SqlAway`` and ``TooMany``."""
    at = clock.now()
    named = {board: window_at(board.calendar, at).label for board in boards if not board.is_event}
    stored = periods_by_label(named.items())
    counted = totals(stored.values())
    found = {}
    for board in named:
        period = stored.get(board.seq)
        total, rules = (counted[period.pk], period.rules) if period else (0, board.rules)
        found[board.seq] = RunningPeriodInfo(period_info_or_window(board, CURRENT, period, at), total, at, rules)
    return found
