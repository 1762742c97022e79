"""What a run of ``verify`` found, period by period."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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


def in_one(results: Sequence[VerifyResult]) -> VerifyResult:
    """Return the results of a period's families, one or more, as one of the period."""
    return replace(
        results[0],
        compared=sum(each.compared for each in results),
        differences=sum(each.differences for each in results),
        repaired=sum(each.repaired for each in results),
        finished=all(each.finished for each in results),
        skipped="; ".join(dict.fromkeys(each.skipped for each in results if each.skipped)),
        found=tuple(found for each in results for found in each.found)[:MAX_REPORTED],
    )
