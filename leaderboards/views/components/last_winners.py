"""The winners of the last period, which a board shows while nobody has scored in the running one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from leaderboards import formats
from leaderboards.models import Board
from leaderboards.selectors import FinalPlace
from leaderboards.views.components.table_rows import result

WINNERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class LastWinners:
    """The winners of a period. ``more``: more players share the first rank than ``winners`` holds."""

    label: str
    dates: str
    winners: list[FinalPlace]
    more: bool
    result: str


def last_winners_text(board: Board, won: Sequence[FinalPlace], at: datetime) -> LastWinners | None:
    """Describe the winners, of whom at most ``WINNERS_NAMED`` are named; None if there are none."""
    if not won:
        return None
    period = won[0].period
    today = at.astimezone(ZoneInfo(board.timezone)).date()
    return LastWinners(
        period.label,
        formats.period_dates(board, period, today) or period.label,
        list(won[:WINNERS_NAMED]),
        len(won) > WINNERS_NAMED,
        result(board, won[0]),
    )
