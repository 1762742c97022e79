"""The end of a board's running period, and the changes that take effect then, for the board's form."""

from typing import Any

from django.contrib.admin.utils import label_for_field

from foundation import clock
from leaderboards.admin.wording.descriptions import on_the_boards_clock, setting_in_words
from leaderboards.core.periods import PeriodKind, latest_window, next_opening
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.services import boards as services


def period_end_text(board: Board) -> str:
    """Return the next boundary in the board's time zone: the end of the running period, or between two windows the
    start of the next one; "" without an end.
    """
    window, now = None if board.is_event else latest_window(board.calendar, clock.now()), clock.now()
    at = window.ends_at if window and window.contains(now) else next_opening(board.calendar, now)
    return on_the_boards_clock(at, board) if at else ""


def pending_changes(board: Board) -> dict[str, Any] | None:
    """Return the saved changes that the running period does not have yet, and when they take effect."""
    stored = Board.objects.get(pk=board.pk)
    try:
        changes = services.pending_changes(stored, clock.now())
    except BadBoard:  # settings of an older release that are invalid now
        return None
    if not changes or stored.period == PeriodKind.ALL_TIME:
        return None
    lines = [
        f"{label_for_field(key, Board)} {setting_in_words(key, value, stored.rules.text)}"
        for key, value in changes.items()
    ]
    return {"since": period_end_text(stored), "changes": lines}
