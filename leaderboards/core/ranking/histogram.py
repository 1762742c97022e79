"""A histogram of a period's scores: how many are less than, and equal to, some of them; and percentiles from it.

Edges are scores that players have. Between two edges the histogram knows only how many scores there are, so what it
says of a score is a range: at least, and at most, so many are less. Ranges of several histograms (the partitions of one
board) add up, whatever their edges are, and so do their errors.

The trap: a histogram knows no members. Where equal scores have an order (``Ties.by_time``), a player's place among
equals is unknown, however exact the counts are.
"""

import math
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.core.ranking.rules import Order, Rules

PARTS = 1000  # of the ranking: at most 0.1 % of the players are between two edges
_HEAD = struct.Struct("<BqI")
_VERSION = 1


class Edge(NamedTuple):
    """A score, how many players have less, and how many have the same."""

    score: float
    below: int
    equal: int


class Bounds(NamedTuple):
    """How many players have less, and more, than a score: at least and at most."""

    least_below: int
    most_below: int
    least_above: int
    most_above: int


class Percentile(NamedTuple):
    """A place among all, in percent with one decimal.

    ``top``: a player is within the best ``top`` percent, themselves included. ``percentile``: they are ahead of so many
    percent of the others. ``error``: the exact figures are at most this much better, never worse.
    """

    top: float
    percentile: float
    error: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """``total`` players at some moment, and the edges in ascending order of their scores."""

    total: int
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, total: int, edges: Iterable[Edge]) -> "Histogram":
        """Make one of edges in any order, of which several may be of one score."""
        return cls(total, tuple(sorted({edge.score: edge for edge in edges}.values())))

    def bounds(self, score: float) -> Bounds:
        """Return how many players have less and more than ``score``."""
        at = bisect_left(self.edges, score, key=_score)
        if at < len(self.edges) and self.edges[at].score == score:
            edge = self.edges[at]
            above = self.total - edge.below - edge.equal
            return Bounds(edge.below, edge.below, above, above)
        least, most = self._below_gap(at), self.edges[at].below if at < len(self.edges) else self.total
        return Bounds(least, most, self.total - most, self.total - least)

    def count_below(self, score: float) -> int:
        """Estimate how many players have less than ``score``, as if scores were even between two edges."""
        at = bisect_left(self.edges, score, key=_score)
        if at == len(self.edges):
            return self.total
        upper, least = self.edges[at], self._below_gap(at)
        if at == 0 or upper.score == score:
            return upper.below if upper.score == score else 0
        lower = self.edges[at - 1].score
        share = (score - lower) / (upper.score - lower) if math.isfinite(upper.score - lower) else 0.5
        return least + int((upper.below - least) * share)

    def score_at(self, place: int, order: Order) -> float:
        """Return the score at ``place`` (0 is the best) if it is an edge's, else the edge's that is next better.

        The histogram must not be empty.
        """
        if order is Order.DESC:
            at = bisect_right(self.edges, self.total - 1 - place, key=_up_to)
            return self.edges[min(at, len(self.edges) - 1)].score
        return self.edges[max(bisect_right(self.edges, place, key=_below) - 1, 0)].score

    @property
    def widest_gap(self) -> int:
        """The greatest number of players between two edges."""
        stops = [*(edge.below for edge in self.edges), self.total]
        return max((stop - self._below_gap(at) for at, stop in enumerate(stops)), default=0)

    def without(self, scores: Collection[float]) -> "Histogram":
        """Return the histogram as if players with these scores had not been counted."""
        gone = sorted(scores)
        edges, least = list[Edge](), 0
        for edge in self.edges:
            first = bisect_left(gone, edge.score)
            equals = bisect_left(gone, math.nextafter(edge.score, math.inf)) - first
            below = max(least, edge.below - first)
            edges.append(Edge(edge.score, below, max(0, edge.equal - equals)))
            least = below + edges[-1].equal
        return Histogram(max(least, self.total - len(gone)), tuple(edges))

    def to_bytes(self) -> bytes:
        """Return it as bytes: a number of the form, the total, and three lists of numbers of 64 bits."""
        count = len(self.edges)
        numbers = [edge[column] for column in range(3) for edge in self.edges]
        body = struct.pack(f"<{count}d{count}q{count}q", *numbers)
        return _HEAD.pack(_VERSION, self.total, count) + body

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Histogram":
        """Read ``to_bytes``. Raises ``ValueError`` for bytes of another form."""
        try:
            version, total, count = _HEAD.unpack_from(stored)
            numbers = struct.unpack_from(f"<{count}d{count}q{count}q", stored, _HEAD.size)
        except struct.error as error:
            raise ValueError("these bytes are no histogram") from error
        if version != _VERSION or len(stored) != _HEAD.size + 24 * count:
            raise ValueError("these bytes are no histogram of this form")
        return cls(total, tuple(map(Edge, numbers[:count], numbers[count : 2 * count], numbers[2 * count :])))

    def _below_gap(self, at: int) -> int:
        """Return how many players have at most the score of the edge before ``at``."""
        return _up_to(self.edges[at - 1]) if at else 0


def _score(edge: Edge) -> float:
    return edge.score


def _below(edge: Edge) -> int:
    return edge.below


def _up_to(edge: Edge) -> int:
    return edge.below + edge.equal


def places_of_edges(total: int, order: Order) -> list[int]:
    """Return the places (0 is the lowest) whose scores are edges: so many that at most 0.1 % lie between two.

    They are thousandths of the ranking, counted from the best.
    """
    if not total:
        return []
    from_best = {min(total * part // PARTS, total - 1) for part in range(PARTS + 1)}
    return sorted(total - 1 - place for place in from_best) if order is Order.DESC else sorted(from_best)


def total_of(parts: Sequence[Histogram]) -> int:
    """Return the number of players in all parts."""
    return sum(part.total for part in parts)


def bounds_in(parts: Sequence[Histogram], score: float) -> Bounds:
    """Return how many players of all parts have less and more than ``score``."""
    columns = zip(*(part.bounds(score) for part in parts), strict=True)
    return Bounds(*map(sum, columns))


def percentile_in(parts: Sequence[Histogram], score: float, rules: Rules) -> Percentile:
    """Return the percentile of a player with ``score`` among the players of all parts, of whom there is at least one.

    A player who scored since the histogram was made is judged as if they had been there.
    """
    total, found = total_of(parts), bounds_in(parts, score)
    below, above = (found.least_below, found.most_below), (found.least_above, found.most_above)
    worse, better = (below, above) if rules.order is Order.DESC else (above, below)
    if rules.ties.by_time:  # equals are ahead or behind, and nobody knows which
        better = better[0], total - worse[0]
        worse = worse[0], total - better[0]
    most = total - 1
    (least_worse, most_worse), (least_better, most_better) = (
        (min(least, most), min(greatest, most)) for least, greatest in (worse, better)
    )
    if most == 0:
        return Percentile(100.0, 100.0, 0.0)
    width = max(most_worse - least_worse, most_better - least_better)
    error = -(-width * 1000 // most) / 10
    return Percentile(top_percent(total, most_better), least_worse * 1000 // most / 10, error)


def top_percent(total: int, ahead: int) -> float:
    """Return within which best percent of ``total`` players somebody with ``ahead`` better ones is, rounded up."""
    if not 0 <= ahead < total:
        raise ValueError(f"{ahead} of {total} players cannot be ahead of one of them")
    return -(-(ahead + 1) * 1000 // total) / 10
