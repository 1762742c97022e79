"""The mark of a board: its first letter on its hue, two letters where another on the page has the first already."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboards.core.hues import hue_of
from leaderboards.models import Board


@dataclass(frozen=True, slots=True)
class Mark:
    """A board, what stands on its mark, and its hue by name."""

    board: Board
    letter: str
    hue: str


def marks_of(boards: Iterable[Board]) -> dict[int, Mark]:
    """By the boards' numbers."""
    taken: set[str] = set()
    found: dict[int, Mark] = {}
    for board in boards:
        if board.seq in found:
            continue
        name = board.name.strip() or "?"
        letter = name[0].upper()
        if letter in taken:
            letter = name[:2].strip().capitalize()
        taken.add(letter)
        found[board.seq] = Mark(board, letter, hue_of(board.seq))
    return found
