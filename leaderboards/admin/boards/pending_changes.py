"""What a board's form says of time: when the running period ends, and which changes wait for that."""

from typing import Any

from django.contrib.admin.utils import label_for_field

from foundation import clock
from leaderboards.admin.wording.descriptions import on_the_boards_clock, setting_in_words
from leaderboards.core.periods import PeriodKind, window_at
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.services import boards as services


def period_end_text(board: Board) -> str:
    """When the running period ends, on the board's clock; empty where it does not."""
    at = None if board.is_event else window_at(board.calendar, clock.now()).ends_at
    return on_the_boards_clock(at, board) if at else ""


def pending_changes(board: Board) -> dict[str, Any] | None:
    """The changes that the running period does not have yet, and from when on they count."""
    stored = Board.objects.get(pk=board.pk)
    try:
        changes = services.pending_changes(stored, clock.now())
    except BadBoard:  # settings that were stored by an older release and cannot work any more
        return None
    if not changes or stored.period == PeriodKind.ALL_TIME:
        return None
    said = [
        f"{label_for_field(key, Board)} {setting_in_words(key, value, stored.rules.text)}"
        for key, value in changes.items()
    ]
    return {"since": period_end_text(stored), "changes": said}
