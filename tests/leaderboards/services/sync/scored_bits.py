"""Writers of one player whose points are bits, so that what Redis shows tells whose submissions are in it."""

from collections.abc import Callable

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.services.site import NOON

BEFORE, ONE, OTHER, NEVER = 1, 2, 4, 8  # whose points: of before, of two writers, of one who rolls back


class RolledBack(Exception):
    """What a writer meets just before the commit."""


def sent(board: Board, points: int) -> Callable[[], object]:
    """Return the submission of a score of the player ``ann``, to be called."""
    entry = read_entry({"board": board.seq, "player": "ann", "points": points}, 0)
    return lambda: submit([entry], Caller("tests"), NOON)
