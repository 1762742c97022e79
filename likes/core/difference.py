"""A difference that a check of likes found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """A thing whose count is wrong in one place.

    ``where``: ``sql`` (SQL's count against its rows), ``set`` (Redis's count against its own set), ``redis`` (Redis's
    count against SQL's) or ``like`` (a row in SQL against Redis). ``repaired`` is False if no repair was requested, or
    if something changed meanwhile.
    """

    kind: str
    thing: str
    where: str
    found: int
    expected: int
    repaired: bool
