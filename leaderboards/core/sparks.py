"""Bars of the last sixty minutes as one SVG path: the policy forbids inline styles, and sixty elements are heavy."""

from collections.abc import Sequence
from dataclasses import dataclass

BAR, GAP, HEIGHT = 3, 1, 28


@dataclass(frozen=True, slots=True)
class Spark:
    """The drawing, its largest value (``most``), and the number of minutes with a ``known`` value."""

    path: str
    width: int
    height: int
    most: int
    known: int
    unknown_width: int


def spark(values: Sequence[int | None], scale: int = 0) -> Spark | None:
    """Draw a bar for each minute, the present one last; None if no value is known. Values above 0 stay visible.

    ``scale`` is the value of a bar of full height, for several drawings beside each other; by default the largest.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    most = max(known)
    path = "".join(_bar(nth, value, max(scale, most)) for nth, value in enumerate(values) if value)
    unknown = len(values) - len(known)
    return Spark(path, len(values) * (BAR + GAP) - GAP, HEIGHT, most, len(known), unknown * (BAR + GAP))


def _bar(nth: int, value: int, most: int) -> str:
    height = max(1, round(value * HEIGHT / most))
    return f"M{nth * (BAR + GAP)} {HEIGHT}v-{height}h{BAR}v{height}z"
