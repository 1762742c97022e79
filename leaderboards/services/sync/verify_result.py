"""What a run of ``verify`` found, period by period."""

from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.models import Difference

MAX_REPORTED = 1000  # differences in the result of a run; all of them are stored


class FoundDifference(NamedTuple):
    """A difference, and a sentence that describes its kind."""

    what: str
    row: Difference


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The result for a period; ``finished`` is False if the time was up first.

    ``skipped`` says why the period was not compared to its end; ``found`` has at most ``MAX_REPORTED`` differences.
    """

    board: int
    label: str
    compared: int
    differences: int
    repaired: int
    finished: bool
    skipped: str = ""
    found: tuple[FoundDifference, ...] = ()
