"""The running periods of many boards with their numbers of players, for lists of boards.

Needs one SQL statement for the periods, one for the players hidden in them, and one round trip to Redis.
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
    """A board's running period, its number of players at ``as_of``, and its rules."""

    period: PeriodInfo
    total: int
    as_of: datetime
    rules: Rules


def running_periods(boards: Collection[Board]) -> dict[int, RunningPeriodInfo]:
    """Return the running periods by board number; event boards have none. Raises ``SqlAway`` and ``TooMany``."""
    at = clock.now()
    labels = {board: window_at(board.calendar, at).label for board in boards if not board.is_event}
    rows = periods_by_label(labels.items())
    total_by_period = totals(rows.values())
    running = {}
    for board in labels:
        period = rows.get(board.seq)
        total, rules = (total_by_period[period.pk], period.rules) if period else (0, board.rules)
        running[board.seq] = RunningPeriodInfo(period_info_or_window(board, CURRENT, period, at), total, at, rules)
    return running
