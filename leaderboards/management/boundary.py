"""The words in which `manage.py doctor` tells the next boundary of a board."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from leaderboards.core.periods import PeriodKind, latest_window, next_opening
from leaderboards.models import Board


def describe_boundary(board: Board, at: datetime) -> str:
    """Say when the running window of a board ends, or why it has none."""
    if board.retired_at and board.retired_at <= at:
        return f"retired since {board.retired_at:%Y-%m-%d %H:%M} UTC"
    if board.period in (PeriodKind.EVENT, PeriodKind.ALL_TIME):
        return "its competitions end by themselves" if board.is_event else "has no end"
    window, zone = latest_window(board.calendar, at), ZoneInfo(board.timezone)
    if not window.contains(at):
        opens_at = next_opening(board.calendar, at)
        if opens_at is None:
            return f"{window.label} has ended, and no window follows"
        return f"closed since {window.label} ended; opens {_local(opens_at, zone)}, in {_span(opens_at - at)}"
    ends_at = window.ends_at or at
    return f"{window.label} ends {_local(ends_at, zone)}, in {_span(ends_at - at)}"


def _local(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %Y %H:%M %Z}"


def _span(span: timedelta) -> str:
    return str(span).partition(".")[0]
