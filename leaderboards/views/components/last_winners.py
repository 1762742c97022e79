"""The winners of the last period, which a board shows while nobody has scored in the running one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboards.models import Board
from leaderboards.selectors import FinalPlace
from leaderboards.views.components.table_rows import result
from leaderboards.views.components.window_dates import dates_html

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
    return LastWinners(
        period.label,
        dates_html(board, period, at) or period.label,
        list(won[:WINNERS_NAMED]),
        len(won) > WINNERS_NAMED,
        result(board, won[0]),
    )
