"""Take a histogram of each running period with at least ``HISTOGRAM_PLAYERS`` players, once a minute.

It is taken from the period's own storage, without hidden players; while that is unavailable, the last one stays and
grows older. A period of one board has one histogram now. Of a board in several partitions each would have its own:
percentiles are read from any number of them (``core/ranking/histogram.py``).

What it costs is bounded: in Redis about 3,000 commands in five scripts, however many players there are; in SQL one
pass over the period's scores, which may take ``SQL_MS``. What took long is taken less often (``PeriodHistogram``). The
periods of competitions, which a freeze may hide, have none, nor have those in DynamoDB: it would read everybody.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from foundation.worker.each import for_each
from leaderboards.core.instants import EPOCH
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.histogram import Histogram
from leaderboards.models import IN_REDIS, Period, PeriodHistogram, PeriodState, Storage
from leaderboards.selectors.rankings.store_routing import retry_if_stale, store_in_redis, totals_in_redis
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.stores.sql.histograms import count_histogram, has_players
from leaderboards.stores.sql.reads import SqlStore

logger = logging.getLogger(__name__)

SQL_MS = 60_000  # for one pass over a period's scores in SQL


def take_due_histograms(at: datetime, seconds: float) -> int:
    """Take those that are due, the oldest first, for about so many seconds; returns how many were taken.

    Histograms that are not wanted any more are deleted. Periods whose storage is unavailable wait for the next run.
    """
    begun = clock.monotonic()
    running = list(_running(at)) if sunwi_settings.HISTOGRAM_PLAYERS else []
    large, unknown = _by_size(running, sunwi_settings.HISTOGRAM_PLAYERS)
    PeriodHistogram.objects.exclude(period__in=[period.pk for period in (*large, *unknown)]).delete()
    known = PeriodHistogram.objects.defer("content").in_bulk([period.pk for period in large])
    due = [period for period in large if period.pk not in known or known[period.pk].is_due(at)]
    due.sort(key=lambda period: known[period.pk].tried_at if period.pk in known else EPOCH)

    def take(period: Period) -> bool:
        passed = clock.monotonic() - begun
        return passed < seconds and take_histogram(period, at + timedelta(seconds=passed))

    return sum(for_each(due, take))


def take_histogram(period: Period, at: datetime) -> bool:
    """Take the histogram of a period for ``at``; False if SQL did not count in time. Raises ``Unavailable``.

    It replaces an older one alone, so a run that comes late does no harm.
    """
    begun = clock.monotonic()
    histogram = _count(period)
    took_ms = round((clock.monotonic() - begun) * 1000)
    values: dict[str, Any] = {"tried_at": at, "took_ms": took_ms}
    if histogram is None:
        logger.warning("period %s has no new histogram: SQL did not count it in %d ms", period.pk, SQL_MS)
    else:
        values |= {"taken_at": at, "content": histogram.to_bytes()}
    if not PeriodHistogram.objects.filter(period=period, tried_at__lte=at).update(**values):
        row = PeriodHistogram(period=period, **{"content": b"", **values})
        PeriodHistogram.objects.bulk_create([row], ignore_conflicts=True)
    return histogram is not None


def _running(at: datetime) -> QuerySet[Period]:
    has_begun = Q(starts_at=None) | Q(starts_at__lte=at)
    running = Period.objects.filter(has_begun, state=PeriodState.OPEN).exclude(board__period=PeriodKind.EVENT)
    return running.select_related("board")


def _by_size(running: Collection[Period], least: int) -> tuple[list[Period], list[Period]]:
    """Return the periods with at least so many players, and those of which Redis does not say it now."""
    in_sql = [period for period in running if period.board.storage == Storage.SQL]
    in_redis = [period for period in running if period.board.storage in IN_REDIS]
    current = [period for period in in_redis if not period.is_stale]
    totals = totals_in_redis(current) if current else {}
    if current and not totals:
        logger.warning("no histograms of boards in Redis are taken now")
    large = [period for period in in_sql if has_players(period, least)]
    large += [period for period in in_redis if totals.get(period.pk, 0) >= least]
    return large, [period for period in in_redis if period.pk not in totals]


def _count(period: Period) -> Histogram | None:
    """Count the players that everybody sees; None if SQL takes too long."""
    counted: Histogram | None
    if period.board.storage == Storage.SQL:
        counted = count_histogram(period, SQL_MS)
    else:
        store = store_in_redis(period)
        counted = retry_if_stale(period, lambda: store.histogram(period))
    hidden = sorted(hidden_now(period).values())
    if counted is None or not hidden:
        return counted
    return counted.without(list(_scores(period, hidden).values()))


def _scores(period: Period, players: Sequence[str]) -> dict[str, float]:
    if period.board.storage == Storage.SQL:
        return SqlStore().scores(period, players)
    store = store_in_redis(period)
    return retry_if_stale(period, lambda: store.scores(period, players))
