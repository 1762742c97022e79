"""The latest histogram of a running period with many players (``services/periods/histograms.py``), if it is recent.

A process reads it at most every ``CACHE_SECONDS``; while SQL is away it goes on with the one it has, as long as that
is useful. Final periods have none: their ranks are read by index.
"""

import logging
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from foundation.db.resilience import SqlAway, StaleIfErrorCache
from leaderboards.core.ranking.histogram import Histogram
from leaderboards.models import Period, PeriodHistogram, PeriodState

logger = logging.getLogger(__name__)

CACHE_SECONDS = 5.0


class TakenHistogram(NamedTuple):
    """A histogram, when it was taken, and until when it is shown."""

    histogram: Histogram
    taken_at: datetime
    useful_until: datetime


def histogram_of(period: Period | None, at: datetime) -> TakenHistogram | None:
    """Return the period's histogram if there is one to be shown; None on a period of few players."""
    if period is None or period.state != PeriodState.OPEN or period.board.is_event:
        return None
    try:
        taken = _cache.get(period.pk)
    except SqlAway:
        return None
    return taken if taken is not None and at <= taken.useful_until else None


def clear_histogram_cache() -> None:
    """Make this process see a new histogram at once."""
    _cache.forget()


def _load(periods: Collection[int]) -> dict[int, TakenHistogram | None]:
    found = dict.fromkeys(periods)
    for row in PeriodHistogram.objects.filter(period__in=periods, taken_at__isnull=False):
        found[row.period_id] = _read(row)
    return found


def _read(row: PeriodHistogram) -> TakenHistogram | None:
    if row.taken_at is None:
        return None
    try:
        return TakenHistogram(row.read(), row.taken_at, row.taken_at + row.useful_for)
    except ValueError:  # of a release beside this one
        logger.info("the histogram of period %s is of another form", row.period_id)
        return None


_cache: StaleIfErrorCache[int, TakenHistogram | None] = StaleIfErrorCache(_load, fresh=CACHE_SECONDS)
