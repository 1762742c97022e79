"""Compute ranks from scores that are sorted, best first.

The trap: on ``first_come`` and ``last_come`` boards two scores may be equal (the time is in the member), and still
ranks are unique.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from leaderboards.core.ranking.rules import Ties


@dataclass(frozen=True, slots=True)
class SharedRank:
    """A rank (1 is best), and how many players share it."""

    rank: int
    tied: int


def rank_scores(scores: Sequence[object], ties: Ties) -> list[SharedRank]:
    """Return the rank of each score; ``scores`` are sorted, best first."""
    if ties in (Ties.FIRST_COME, Ties.LAST_COME):
        return [SharedRank(rank, 1) for rank in range(1, len(scores) + 1)]
    ranks: list[SharedRank] = []
    for nth, (_, equals) in enumerate(groupby(scores), start=1):
        tied = sum(1 for _ in equals)
        rank = nth if ties is Ties.DENSE else len(ranks) + 1
        ranks.extend([SharedRank(rank, tied)] * tied)
    return ranks


def percentile(total: int, below: int) -> float:
    """Return the percentage of the other players ranked strictly below, with one decimal, rounded down."""
    if not 0 <= below < total:
        raise ValueError(f"{below} of {total} players cannot be ranked below one of them")
    return 100.0 if total == 1 else below * 1000 // (total - 1) / 10
