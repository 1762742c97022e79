"""Points by place over several competitions: what a place earns, and which of a player's results count.

Places are ranks of final results, 1 is best; players who share a rank each get the points of that rank. Points are
integers, and more is better.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from competitions.errors import BadSeries
from foundation.messages import Message

MOST_POINTS = 100_000
MOST_PLACES = 1_000
MOST_EVENTS = 1_000  # with the above, a total fits into a board's limits
_SEPARATORS = re.compile(r"[\s,;]+")
_DIGITS = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """``table`` holds the points by place, first place first; every ranked player gets ``taking_part`` in addition.

    ``best`` is how many results of a player count; None counts all.
    """

    table: tuple[int, ...]
    taking_part: int = 0
    best: int | None = None

    def points_of(self, place: int) -> int:
        """Return the points that a place (from 1) earns in one competition."""
        return self.taking_part + (self.table[place - 1] if place <= len(self.table) else 0)

    def counted(self, points: Sequence[int]) -> list[bool]:
        """Return for each result whether it counts: the best do, and of equal ones the earlier."""
        if self.best is None:
            return [True] * len(points)
        best_first = sorted(range(len(points)), key=lambda nth: (-points[nth], nth))
        counting = set(best_first[: self.best])
        return [nth in counting for nth in range(len(points))]

    def total(self, points: Sequence[int]) -> int:
        """Return the sum of the results that count."""
        return sum(each for each, counts in zip(points, self.counted(points), strict=True) if counts)


def read_table(text: str) -> tuple[int, ...]:
    """Parse a table as people type it: ``25 18 15 12 10``, first place first. Raises ``BadSeries``."""
    typed = [each for each in _SEPARATORS.split(text.strip()) if each]
    if not 1 <= len(typed) <= MOST_PLACES:
        raise BadSeries(
            Message("Give the points of 1 to %(most)s places, the first place first: 25 18 15.", most=MOST_PLACES),
            "table",
        )
    for each in typed:
        if not _DIGITS.fullmatch(each) or int(each) > MOST_POINTS:
            raise BadSeries(
                Message(
                    "“%(typed)s” is no number of points: 0 to %(most)s, without decimals.",
                    typed=each[:20],
                    most=MOST_POINTS,
                ),
                "table",
            )
    table = tuple(map(int, typed))
    for place, (better, worse) in enumerate(pairwise(table), start=1):
        if worse > better:
            raise BadSeries(
                Message(
                    "Place %(worse)s would earn more than place %(better)s: give it fewer points, or as many.",
                    worse=place + 1,
                    better=place,
                ),
                "table",
            )
    return table


def table_text(table: Sequence[int]) -> str:
    """Format the table for ``read_table``."""
    return " ".join(map(str, table))
