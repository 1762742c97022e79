"""A player's ranks over time as a line for an SVG, best rank at the top. Reads no data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

WIDTH, HEIGHT, EDGE = 600, 200, 12
MAX_POINTS = 300
MAX_CHANGES = 50


class Moment(Protocol):
    """A rank at a moment."""

    @property
    def at(self) -> datetime:
        """The time of the rank."""

    @property
    def rank(self) -> int:
        """1 is the best."""


Placed = TypeVar("Placed", bound=Moment)


@dataclass(frozen=True, slots=True)
class Chart:
    """``line`` is the ``points`` attribute of an SVG polyline; it ends at ``last_x``, ``last_y``."""

    line: str
    last_x: str
    last_y: str
    best: int
    worst: int
    first_moment: Moment
    last_moment: Moment
    width: int = WIDTH
    height: int = HEIGHT


def chart(moments: Sequence[Moment]) -> Chart | None:
    """Return the chart; None with fewer than two moments."""
    if len(moments) < 2:
        return None
    ranks = [moment.rank for moment in moments]
    best, worst = min(ranks), max(ranks)
    places = [_place(moment, moments, best, worst) for moment in _thinned(moments)]
    line = " ".join(f"{x},{y}" for x, y in places)
    return Chart(line, *places[-1], best, worst, moments[0], moments[-1])


def changes(moments: Sequence[Placed]) -> list[Placed]:
    """Return the moments at which the rank changed, and the first one; latest first, at most ``MAX_CHANGES``."""
    before = [None, *(moment.rank for moment in moments)]
    changed = [moment for moment, rank in zip(moments, before, strict=False) if moment.rank != rank]
    return changed[::-1][:MAX_CHANGES]


def _thinned(moments: Sequence[Moment]) -> Sequence[Moment]:
    """Reduce to at most ``MAX_POINTS`` moments; the last is always among them."""
    step = -(-len(moments) // MAX_POINTS)
    return moments[::-1][::step][::-1]


def _place(moment: Moment, moments: Sequence[Moment], best: int, worst: int) -> tuple[str, str]:
    span = (moments[-1].at - moments[0].at).total_seconds() or 1.0
    across = (moment.at - moments[0].at).total_seconds() / span
    down = (moment.rank - best) / (worst - best) if worst > best else 0.5
    return f"{EDGE + across * (WIDTH - 2 * EDGE):.0f}", f"{EDGE + down * (HEIGHT - 2 * EDGE):.0f}"
