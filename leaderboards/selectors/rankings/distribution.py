"""The distribution of points on a board: percentiles and a histogram.

Boards with criteria use the leading one. The p-th percentile is the value that a player needs to be ahead of p percent
of the players, or level with them. A running period with many players is answered from its histogram, at the same cost
however many there are; all others, and callers who want it exactly, from the store.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from foundation import clock
from leaderboards.core.input.points import points_number
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import CURRENT, find_period_row
from leaderboards.selectors.rankings.histograms import TakenHistogram, histogram_of
from leaderboards.selectors.rankings.lagging import lag_of, reader_for
from leaderboards.selectors.rankings.store_routing import read_from_store
from leaderboards.stores.base import Quantiles, ScoreRange, Store

BINS = 20
_SHARES = [0, *(1000 - 10 * percent for percent in range(99, 0, -1)), 1000]

Number = int | Decimal


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of players with ``from_`` to ``to`` points, both included."""

    from_: Number
    to: Number
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """Percentiles "1" to "99" and the histogram, lowest points first; both are empty on an empty board.

    Either may also be empty if Redis is away and SQL did not count in time. ``error`` is None if it was counted now;
    else the greatest share of the players, in percent, that lies between two edges of the histogram.
    """

    total: int
    as_of: datetime
    live: bool
    percentiles: dict[str, Number]
    histogram: list[Bin]
    error: float | None = None


def distribution(board: Board, period: str = CURRENT, *, exact: bool = False) -> Distribution:
    """Return the distribution of a period, counted now if ``exact``. Raises ``UnknownPeriod``."""
    as_of = clock.now()
    stored = find_period_row(board, period, as_of)
    if stored is None:
        return Distribution(0, as_of, True, {}, [])
    taken = None if exact else histogram_of(stored, as_of)
    if taken is not None and taken.histogram.total:
        return _from_histogram(stored, taken)
    reader = reader_for(())
    (quantiles, counts, edges), live = read_from_store(stored, _measure, reader)
    as_of -= lag_of(reader)
    if not quantiles.rows:
        return Distribution(quantiles.total, as_of, live, {}, [])
    values = [stored.layout.leading(score) for _, score in quantiles.rows]
    percentiles = _percentiles(stored, values)
    if counts is None:
        return Distribution(quantiles.total, as_of, live, percentiles, [])
    return Distribution(sum(counts), as_of, live, percentiles, _histogram(stored, edges, counts))


def _from_histogram(period: Period, taken: TakenHistogram) -> Distribution:
    found, order = taken.histogram, period.rules.order
    places = (min(found.total * share // 1000, found.total - 1) for share in _SHARES)
    values = [period.layout.leading(found.score_at(place, order)) for place in places]
    edges = bins(min(values), max(values))
    counts = [
        (found.total if each.stop is None else found.count_below(each.stop))
        - (0 if each.start is None else found.count_below(each.start))
        for each in _score_ranges(period, edges)
    ]
    error = -(-found.widest_gap * 1000 // found.total) / 10
    histogram = _histogram(period, edges, counts)
    return Distribution(found.total, taken.taken_at, True, _percentiles(period, values), histogram, error)


def _percentiles(period: Period, values: Sequence[int]) -> dict[str, Number]:
    """Return the percentiles "1" to "99" from the values at ``_SHARES``."""
    return {str(p): points_number(values[100 - p], period.rules.decimals) for p in range(1, 100)}


def _histogram(period: Period, edges: Sequence[tuple[int, int]], counts: Sequence[int]) -> list[Bin]:
    decimals = period.rules.decimals
    return [
        Bin(points_number(start, decimals), points_number(stop - 1, decimals), count)
        for (start, stop), count in zip(edges, counts, strict=True)
    ]


def _measure(store: Store, period: Period) -> tuple[Quantiles, list[int] | None, list[tuple[int, int]]]:
    quantiles = store.quantiles(period, _SHARES)
    if not quantiles.rows:
        return quantiles, [], []
    ends = [period.layout.leading(score) for _, score in (quantiles.rows[0], quantiles.rows[-1])]
    edges = bins(min(ends), max(ends))
    return quantiles, store.counts(period, _score_ranges(period, edges)), edges


def bins(lowest: int, highest: int) -> list[tuple[int, int]]:
    """Split ``lowest`` to ``highest`` into at most ``BINS`` ranges, each (start, exclusive stop).

    They are equally wide, but the last ends with ``highest``.
    """
    width = max(1, -(-(highest - lowest + 1) // BINS))
    return [(start, min(start + width, highest + 1)) for start in range(lowest, highest + 1, width)]


def _score_ranges(period: Period, edges: Sequence[tuple[int, int]]) -> list[ScoreRange]:
    """Convert the edges to scores. The lowest and highest are open, to count players whose scores changed meanwhile."""
    layout = period.layout
    spans = [layout.leading_span(start, stop) for start, stop in edges]
    ranges = [ScoreRange(*span) for span in spans]
    by_score = sorted(range(len(ranges)), key=lambda index: spans[index][0])
    first, last = by_score[0], by_score[-1]
    ranges[first] = ScoreRange(None, ranges[first].stop)
    ranges[last] = ScoreRange(ranges[last].start, None)
    return ranges
