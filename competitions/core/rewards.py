"""Who earns a tier, from a final ranking that is read best first and no further than it must be.

A share of the field is rounded up, and all who are tied with the last of it earn too. Points are compared by the
board's order. Ranks are taken as they are: those who may not be rewarded were left out before.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from itertools import groupby, takewhile

from leaderboards.core.ranking.rules import Order


class TierBasis(StrEnum):
    """What a tier counts by."""

    RANK = "rank"
    PERCENT = "percent"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """A player in their place in line; ``points`` as people see them, None on boards of criteria.

    ``place`` is the rank in the result: the same as ``rank``, unless somebody ahead is passed over.
    """

    player: int
    rank: int
    points: Decimal | None
    place: int = 0


@dataclass(frozen=True, slots=True)
class FieldSummary:
    """How many are ranked, and which points are the better ones."""

    total: int
    order: Order = Order.DESC


@dataclass(frozen=True, slots=True)
class Tier:
    """A limit: a rank, a percentage or points. ``from_rank`` matters by rank alone."""

    by: TierBasis
    limit: Decimal
    from_rank: int = 1

    def earners(self, ranking: Iterable[RankedPlayer], field: FieldSummary) -> Iterator[RankedPlayer]:
        """Everybody who earns it. ``ranking`` holds all who are ranked, best first."""
        if self.by is TierBasis.PERCENT:
            return _best(ranking, share_of(field.total, self.limit))
        if self.by is TierBasis.POINTS:
            return takewhile(lambda row: _reached(row.points, self.limit, field.order), ranking)
        within = takewhile(lambda row: row.rank <= self.limit, ranking)
        return (row for row in within if row.rank >= self.from_rank)


def without_passed_over(
    ranking: Iterable[RankedPlayer], passed_over: Set[int], is_dense: bool
) -> Iterator[RankedPlayer]:
    """Those of a final ranking who may win, each moved up by those ahead who are passed over.

    ``ranking`` is best first. Anybody who shares a rank goes on sharing it. ``is_dense`` says that ranks count groups
    of equals: then a rank is free only once all who share it are passed over.
    """
    gone = 0
    for rank, group in groupby(ranking, key=lambda row: row.rank):
        rows = list(group)
        left = [row for row in rows if row.player not in passed_over]
        yield from (replace(row, rank=rank - gone, place=rank) for row in left)
        gone += (not left) if is_dense else len(rows) - len(left)


def share_of(total: int, percent: Decimal) -> int:
    """That share of so many players, rounded up."""
    return int((total * percent / 100).to_integral_value(ROUND_CEILING))


def _best(ranking: Iterable[RankedPlayer], count: int) -> Iterator[RankedPlayer]:
    """The first so many rows, and those who share the rank of the last of them."""
    last = None
    for place, row in enumerate(ranking, start=1):
        if place > count and row.rank != last:
            return
        last = row.rank
        yield row


def _reached(points: Decimal | None, goal: Decimal, order: Order) -> bool:
    if points is None:
        return False
    return points >= goal if order is Order.DESC else points <= goal
