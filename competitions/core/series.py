"""Points by place over several competitions: what a place earns, and which of a player's results count.

Places are ranks of final results, 1 is best; players who share a rank share the points of that rank. Points are whole
numbers, and more is better.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from competitions.errors import BadSeries

MOST_POINTS = 100_000
MOST_PLACES = 1_000
MOST_EVENTS = 1_000  # with the above, a total fits into a board's limits
_BETWEEN = re.compile(r"[\s,;]+")
_DIGITS = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """``table`` is what places earn, the first place first; ``taking_part`` is added for everybody who is ranked.

    ``best`` is how many results of a player count; None is all of them.
    """

    table: tuple[int, ...]
    taking_part: int = 0
    best: int | None = None

    def points_of(self, place: int) -> int:
        """What a place (from 1) earns in one competition."""
        return self.taking_part + (self.table[place - 1] if place <= len(self.table) else 0)

    def counted(self, points: Sequence[int]) -> list[bool]:
        """Which of a player's results count, in their order: the best, and of equal ones the earlier."""
        if self.best is None:
            return [True] * len(points)
        best_first = sorted(range(len(points)), key=lambda nth: (-points[nth], nth))
        kept = set(best_first[: self.best])
        return [nth in kept for nth in range(len(points))]

    def total(self, points: Sequence[int]) -> int:
        """What a player's results add up to."""
        return sum(each for each, counts in zip(points, self.counted(points), strict=True) if counts)


def read_table(text: str) -> tuple[int, ...]:
    """A table as people type it: ``25 18 15 12 10``, the first place first. Raises ``BadSeries``."""
    typed = [each for each in _BETWEEN.split(text.strip()) if each]
    if not 1 <= len(typed) <= MOST_PLACES:
        raise BadSeries(f"Give the points of 1 to {MOST_PLACES} places, the first place first: 25 18 15.", "table")
    for each in typed:
        if not _DIGITS.fullmatch(each) or int(each) > MOST_POINTS:
            raise BadSeries(f"“{each[:20]}” is no number of points: 0 to {MOST_POINTS}, without decimals.", "table")
    table = tuple(map(int, typed))
    for place, (better, worse) in enumerate(pairwise(table), start=1):
        if worse > better:
            raise BadSeries(
                f"Place {place + 1} would earn more than place {place}: give it fewer points, or as many.", "table"
            )
    return table


def table_text(table: Sequence[int]) -> str:
    """The table as ``read_table`` reads it."""
    return " ".join(map(str, table))
