"""What a check of likes found: one thing whose count is not what it should be, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """``where``: ``sql`` (the count beside the rows), ``set`` (Redis's count beside its own set), ``redis`` (its
    count beside SQL's) or ``like`` (a row beside what Redis decided). ``repaired`` is False where nobody asked for it,
    or something moved meanwhile.
    """

    kind: str
    thing: str
    where: str
    found: int
    expected: int
    repaired: bool
