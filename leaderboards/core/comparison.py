"""Two players compared: their lines through the same moments, and how often each was ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT, EDGE = 600, 200, 12


@dataclass(frozen=True, slots=True)
class Tally:
    """In how many periods the first player was ahead, the second one, and neither."""

    first: int = 0
    second: int = 0
    level: int = 0

    @property
    def periods(self) -> int:
        """In how many periods both were ranked."""
        return self.first + self.second + self.level


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the drawing as an SVG ``path``, and where it ends."""

    path: str
    x: float
    y: float


def tally(ranks: Iterable[tuple[int, int]]) -> Tally:
    """Count who was ahead by pairs of ranks, of which the smaller is better."""
    first = second = level = 0
    for one, other in ranks:
        first, second, level = first + (one < other), second + (other < one), level + (one == other)
    return Tally(first, second, level)


def drawn_lines(
    moments: Sequence[datetime], values: Sequence[Sequence[int | None]], *, greater_is_up: bool
) -> list[Line] | None:
    """Return a line for each of ``values``, which has one number for each of the moments (sorted), None if unknown.

    All lines share their axes. A line has a gap where a number is unknown. None if some line would have no two points.
    """
    known = [value for line in values for value in line if value is not None]
    if len(moments) < 2 or any(sum(value is not None for value in line) < 2 for line in values):
        return None
    low, high = min(known), max(known)
    return [_line(moments, line, (low, high) if greater_is_up else (high, low)) for line in values]


def _line(moments: Sequence[datetime], values: Sequence[int | None], bottom_and_top: tuple[int, int]) -> Line:
    bottom, top = bottom_and_top
    span = (moments[-1] - moments[0]).total_seconds() or 1.0
    pen, path, x, y = "M", [], 0.0, 0.0
    for at, value in zip(moments, values, strict=True):
        if value is None:
            pen = "M"
            continue
        x = EDGE + (at - moments[0]).total_seconds() / span * (WIDTH - 2 * EDGE)
        up = (value - bottom) / (top - bottom) if top != bottom else 0.5
        y = HEIGHT - EDGE - up * (HEIGHT - 2 * EDGE)
        path.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    return Line("".join(path), round(x, 1), round(y, 1))
