"""Ranks from scores that stand in order, best first.

Only equality is looked at here; the order is the store's. The trap: on ``first_come`` and ``last_come``
boards two scores may be equal (the time stands in the member), and still nobody shares a rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboards.core.ranking.rules import Ties


@dataclass(frozen=True, slots=True)
class SharedRank:
    """A rank, 1 is best, and how many players hold it."""

    rank: int
    tied: int


def rank_scores(scores: Sequence[object], ties: Ties) -> list[SharedRank]:
    """The place of each score, or of whatever is equal where a rank is shared; ``scores`` stand best first."""
    if ties in (Ties.FIRST_COME, Ties.LAST_COME):
        return [SharedRank(rank, 1) for rank in range(1, len(scores) + 1)]
    found: list[SharedRank] = []
    for nth, (_, equals) in enumerate(groupby(scores), start=1):
        tied = sum(1 for _ in equals)
        rank = nth if ties is Ties.DENSE else len(found) + 1
        found.extend([SharedRank(rank, tied)] * tied)
    return found


def percentile(total: int, below: int) -> float:
    """The share of the other players ranked strictly below, 0 to 100, one decimal, rounded down."""
    if not 0 <= below < total:
        raise ValueError(f"{below} of {total} players cannot be ranked below one of them")
    return 100.0 if total == 1 else below * 1000 // (total - 1) / 10
