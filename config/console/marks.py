"""The mark of a board: its first letter on its hue, or two letters if the first is taken on the page."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboards.core.hues import hue_of
from leaderboards.core.marks import mark_of
from leaderboards.models import Board


@dataclass(frozen=True, slots=True)
class Mark:
    """A board, the letters of its mark, and the name of its hue."""

    board: Board
    letter: str
    hue: str


def marks_of(boards: Iterable[Board]) -> dict[int, Mark]:
    """Return the marks by board number."""
    taken: set[str] = set()
    marks: dict[int, Mark] = {}
    for board in boards:
        if board.seq in marks:
            continue
        letter = mark_of(board.name)
        if letter in taken:
            letter = board.name.strip()[:2].strip().capitalize()
        taken.add(letter)
        marks[board.seq] = Mark(board, letter, hue_of(board.seq, board.hue))
    return marks
