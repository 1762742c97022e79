"""The running periods of many boards with their numbers of players, for lists of boards.

Needs one SQL statement for the periods, one for the players hidden in them, and one round trip to Redis.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from foundation import clock
from leaderboards.core.periods import latest_window
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors.catalog.periods import (
    CURRENT,
    PeriodInfo,
    opening,
    period_info_or_window,
    periods_by_label,
)
from leaderboards.selectors.rankings.store_routing import totals


@dataclass(frozen=True, slots=True)
class RunningPeriodInfo:
    """A board's running period, its number of players at ``as_of``, its rules and partitions, and whether it has tables
    of its own.

    ``total`` is None while DynamoDB has them and does not answer.
    Between two windows of a schedule it is the one that ended last, and ``opens_at`` is the start of the next one.
    """

    period: PeriodInfo
    total: int | None
    as_of: datetime
    rules: Rules
    opens_at: datetime | None = None
    partitions: int = 1
    own_tables: bool = False


def running_periods(boards: Collection[Board]) -> dict[int, RunningPeriodInfo]:
    """Return the running periods by board number; event boards have none. Raises ``SqlAway`` and ``TooMany``."""
    at = clock.now()
    labels = {board: latest_window(board.calendar, at).label for board in boards if not board.is_event}
    rows = periods_by_label(labels.items())
    total_by_period = totals(rows.values())
    running = {}
    for board in labels:
        period = rows.get(board.seq)
        total, rules = (total_by_period.get(period.pk), period.rules) if period else (0, board.rules)
        shown = period_info_or_window(board, CURRENT, period, at)
        opens_at, partitions = opening(board, shown, at), (period or board).partitions
        own_tables = period.has_own_tables if period else board.own_tables
        running[board.seq] = RunningPeriodInfo(shown, total, at, rules, opens_at, partitions, own_tables)
    return running
