"""When a changed schedule takes effect: with the first window after the one that is open, or opens within a minute.

The schedules that a board had are kept with the time until which each holds (``Board.past_schedules``). That time lies
a minute or more ahead, so that every process knows a change when it takes effect: none remembers a board for so long.
"""

from datetime import datetime, timedelta
from typing import Any

from leaderboards.core.periods import Calendar, PeriodKind, window_open_at
from leaderboards.core.ranking.board_settings import Settings, board_calendar, schedule_at

LEAD_TIME = timedelta(minutes=1)


def past_schedules(board: Settings, stored: Settings, at: datetime) -> list[dict[str, Any]]:
    """Return the schedules that ``board`` has had once it replaces ``stored`` at ``at``. Raises ``BadBoard``."""
    past: list[dict[str, Any]] = list(stored.past_schedules)
    if not PeriodKind.SCHEDULE == board.period == stored.period:
        return past
    calendar = board_calendar(stored)
    holding = schedule_at(calendar, at + LEAD_TIME)
    if holding is None:
        return past
    present = (board.schedule, board.open_minutes)
    if holding.until is not None:  # the stored one has not taken effect, and never will
        past.pop()
    elif (stored.schedule, stored.open_minutes) == present:
        return past
    if (holding.expression, holding.open_minutes) != present:
        until = _takes_effect(calendar, at).isoformat()
        past.append({"schedule": holding.expression, "open_minutes": holding.open_minutes, "until": until})
    return past


def _takes_effect(calendar: Calendar, at: datetime) -> datetime:
    window = window_open_at(calendar, at + LEAD_TIME)
    return (window.ends_at if window else None) or at + LEAD_TIME
