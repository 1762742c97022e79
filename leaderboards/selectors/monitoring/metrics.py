"""The boards' metrics for ``/metrics``: mirror, announcements, resyncing, closing, differences, quarantine."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db.models import Count, Min, Q

from foundation import clock
from foundation.monitoring.own_readings import overdue
from foundation.monitoring.readings import Reading
from foundation.redis import client as redis
from leaderboards.metrics import MOST_BOARDS, start_boards
from leaderboards.models import ACTIVE_STATES, IN_REDIS, Board, Period, QuarantinedEntry, Storage
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.selectors.monitoring.histograms import histograms_taken
from leaderboards.selectors.monitoring.lag import mirror_age, stale_periods, unclosed, unrepaired
from leaderboards.stores.redis.publish import announced_at

SCANNED = 500  # announcements of a period whose age is read
BATCH = 1000


def sql_metrics() -> Iterator[Reading]:
    """Read from SQL: stale periods, periods to close, differences, quarantined entries, the oldest histogram."""
    at = clock.now()
    used = Board.objects.filter(Q(retired_at=None) | Q(retired_at__gt=at)).order_by("-seq")
    start_boards(used.values_list("seq", flat=True)[:MOST_BOARDS])
    rows = stale_periods()
    stale = rows.aggregate(count=Count("pk"), first=Min("stale_since"))
    yield Reading("sunwi_stale", "Parts that Redis lacks something of.", stale["count"], ("part", "periods"))
    text = "Since when the part that has been stale longest is."
    yield Reading("sunwi_stale_seconds", text, overdue(stale["first"], at), ("part", "periods"))
    over = unclosed(at)
    yield Reading("sunwi_periods_to_close", "Periods whose end and grace are over, and that are not final.", len(over))
    text = "For how long the period that should have been closed first has waited."
    yield Reading("sunwi_close_late_seconds", text, overdue(min((due for _, due in over), default=None), at))
    yield Reading("sunwi_differences", "Differences of Redis and SQL that nobody has repaired.", unrepaired().count())
    waiting = QuarantinedEntry.objects.filter(decision="").count()
    yield Reading("sunwi_quarantined", "Entries that wait for somebody's judgment.", waiting)
    first = min((row.taken_at for row in histograms_taken() if row.taken_at), default=None)
    text = "How long ago the oldest histogram of a running period was taken; 0 if there is none."
    yield Reading("sunwi_percentiles_age_seconds", text, overdue(first, at))


def redis_metrics() -> Iterator[Reading]:
    """Read from Redis: standings that SQL lacks, and announcements that are not published yet."""
    living = Period.objects.filter(state__in=ACTIVE_STATES, board__storage__in=IN_REDIS).select_related("board")
    parts = parts_of(living)
    mirrored = [each for each in parts if each.board.storage == Storage.REDIS]
    rows = sum(_lengths([each.family.dirty for each in mirrored]))
    age = mirror_age() if mirrored else timedelta()
    yield Reading("sunwi_mirror_lag_standings", "Standings that only Redis has.", rows)
    text = "Since when SQL may lack what redis boards took; -1 where nothing was ever copied."
    yield Reading("sunwi_mirror_lag_seconds", text, -1 if age is None else age.total_seconds())
    yield from _announcement_metrics([each.family.inflight for each in parts if each.board.storage == Storage.HYBRID])


def _announcement_metrics(keys: Sequence[str]) -> Iterator[Reading]:
    lengths = _lengths(keys)
    filled = [key for key, length in zip(keys, lengths, strict=True) if length]
    scanned = redis.boards().pipeline([("HSCAN", key, 0, "COUNT", SCANNED) for key in filled[:BATCH]])
    tokens = [token.decode() for _, cells in scanned for token in cells[1::2]]
    first = min((at for token in tokens if (at := announced_at(token))), default=None)
    yield Reading("sunwi_inflight", "Standings that are being decided, or were and are not shown yet.", sum(lengths))
    text = "How long ago the first of them was announced (of the first 500 of a period)."
    yield Reading("sunwi_inflight_seconds", text, overdue(first, clock.now()))


def _lengths(keys: Sequence[str]) -> list[int]:
    client, lengths = redis.boards(), list[int]()
    for start in range(0, len(keys), BATCH):
        lengths += client.pipeline([("HLEN", key) for key in keys[start : start + BATCH]])
    return lengths
