"""Bars of the last sixty minutes as an SVG: places and heights are attributes, since a page may hold no styles."""

from collections.abc import Sequence
from dataclasses import dataclass

BAR, GAP, HEIGHT = 3, 1, 28


@dataclass(frozen=True, slots=True)
class Bar:
    """One minute, in the drawing's own units."""

    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Spark:
    """The drawing, and what it says in numbers: the most in a minute, and from which minute on it is known."""

    bars: Sequence[Bar]
    width: int
    height: int
    most: int
    known: int
    unknown_width: int


def spark(values: Sequence[int | None]) -> Spark | None:
    """Bars of these minutes, the present one last; None where nothing is known of any. A minute with anything at all
    has a bar to see."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    most = max(known)
    bars = [_bar(nth, value, most) for nth, value in enumerate(values) if value]
    unknown = len(values) - len(known)
    return Spark(bars, len(values) * (BAR + GAP) - GAP, HEIGHT, most, len(known), unknown * (BAR + GAP))


def _bar(nth: int, value: int, most: int) -> Bar:
    height = max(1, round(value * HEIGHT / most))
    return Bar(nth * (BAR + GAP), HEIGHT - height, height)
