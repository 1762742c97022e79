"""Bars of the last sixty minutes as one path of an SVG: a page may hold no styles, and sixty elements weigh."""

from collections.abc import Sequence
from dataclasses import dataclass

BAR, GAP, HEIGHT = 3, 1, 28


@dataclass(frozen=True, slots=True)
class Spark:
    """The drawing, and what it says in numbers: the most in a minute, and from which minute on it is known."""

    path: str
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
    path = "".join(_bar(nth, value, most) for nth, value in enumerate(values) if value)
    unknown = len(values) - len(known)
    return Spark(path, len(values) * (BAR + GAP) - GAP, HEIGHT, most, len(known), unknown * (BAR + GAP))


def _bar(nth: int, value: int, most: int) -> str:
    height = max(1, round(value * HEIGHT / most))
    return f"M{nth * (BAR + GAP)} {HEIGHT}v-{height}h{BAR}v{height}z"
