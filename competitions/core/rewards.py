"""Who earns a reward tier, from a final ranking that is read best first and only as far as needed.

A percentage of the field is rounded up, and all who tie with the last of it earn too. Points are compared by the
board's order. The caller excludes players who may not be rewarded.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from itertools import groupby, takewhile

from leaderboards.core.ranking.rules import Order


class TierBasis(StrEnum):
    """The unit of a tier's limit."""

    RANK = "rank"
    PERCENT = "percent"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """A row of the ranking for rewards. ``points`` are unscaled, None on boards of criteria.

    ``place`` is the rank in the result. ``rank`` is better than it if a player ahead is passed over.
    """

    player: int
    rank: int
    points: Decimal | None
    place: int = 0


@dataclass(frozen=True, slots=True)
class FieldSummary:
    """The number of ranked players, and which points are better."""

    total: int
    order: Order = Order.DESC


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier whose ``limit`` is a rank, a percentage or points. ``from_rank`` is used only by rank."""

    by: TierBasis
    limit: Decimal
    from_rank: int = 1

    def earners(self, ranking: Iterable[RankedPlayer], field: FieldSummary) -> Iterator[RankedPlayer]:
        """Return the players who earn the tier. ``ranking`` holds all ranked players, best first."""
        if self.by is TierBasis.PERCENT:
            return _best(ranking, share_of(field.total, self.limit))
        if self.by is TierBasis.POINTS:
            return takewhile(lambda row: _reached(row.points, self.limit, field.order), ranking)
        within = takewhile(lambda row: row.rank <= self.limit, ranking)
        return (row for row in within if row.rank >= self.from_rank)


def without_passed_over(
    ranking: Iterable[RankedPlayer], passed_over: Set[int], is_dense: bool
) -> Iterator[RankedPlayer]:
    """Yield the players of a ranking who may win, moved up by the number of passed-over players ahead of them.

    ``ranking`` is best first. Players who share a rank still share it. ``is_dense`` means that ranks count groups of
    equal players: then a rank becomes free only if all who share it are passed over.
    """
    moved_up = 0
    for rank, group in groupby(ranking, key=lambda row: row.rank):
        rows = list(group)
        left = [row for row in rows if row.player not in passed_over]
        yield from (replace(row, rank=rank - moved_up, place=rank) for row in left)
        moved_up += (not left) if is_dense else len(rows) - len(left)


def share_of(total: int, percent: Decimal) -> int:
    """Return ``percent`` of ``total`` players, rounded up."""
    return int((total * percent / 100).to_integral_value(ROUND_CEILING))


def _best(ranking: Iterable[RankedPlayer], count: int) -> Iterator[RankedPlayer]:
    """Yield the first ``count`` rows, and those that share the rank of the last of them."""
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
