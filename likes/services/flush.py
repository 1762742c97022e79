"""Every minute: move hits from Redis to SQL, and merge each day's visitors and attendance in both.

Hits are staged in Redis under the primary key of a ``HitsFlush`` row, and added to SQL in the transaction that marks
the row. So a run may be interrupted anywhere, and two may run at once. The trap: if Redis dies before writing the
staging to disk, it is undone; so hits are counted by a later run, when the staging is durable.
"""

import logging
from datetime import date, datetime, timedelta

from django.db import transaction

from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.redis.client import RedisRefused
from leaderboards.stores.sql.bulk import insert
from likes.core.activity import ATTENDANCE_DAYS, RETENTION_DAYS, day_of, days_until
from likes.models import ActivityDay, HitsFlush, PageHits
from likes.stores.activity import ActivityStore

logger = logging.getLogger(__name__)

ON_DISK_AFTER = timedelta(seconds=2)  # `appendfsync everysec` loses at most two seconds
HITS_KEPT = timedelta(days=400)
_HITS = {"day": "date", "page": "text", "count": "bigint"}
_ADD = "ON CONFLICT (day, page) DO UPDATE SET count = likes_pagehits.count + excluded.count"


def flush_hits(at: datetime) -> int:
    """Count the hits that earlier runs staged, then stage the current ones; return how many were counted.

    Raises Redis errors.
    """
    counted = sum(_count(flush, at) for flush in HitsFlush.objects.order_by("pk").values_list("pk", flat=True))
    for day in _store().days_with_hits(days_until(day_of(at) + timedelta(days=1), RETENTION_DAYS)):
        flush = HitsFlush.objects.create(day=day)
        failpoint("flush.after_row")
        _move(flush.pk, at)
    return counted


def merge_days(at: datetime) -> int:
    """Merge today and yesterday with SQL, and every older day that Redis lost; return how many days were merged.

    Raises Redis errors, but a day that Redis refuses is logged and left alone.
    """
    merged = 0
    for day in _days_to_merge(day_of(at)):
        try:
            _merge(day, at)
            merged += 1
        except RedisRefused as error:
            logger.error("the activity of %s cannot be merged: %s", day, error.detail)  # noqa: TRY400 - a traceback would add nothing
    return merged


def prune_activity(at: datetime) -> int:
    """Delete visitor and attendance sets after ten weeks, and old hits; counts of days stay. Returns how many rows."""
    old = ActivityDay.objects.filter(day__lte=day_of(at) - timedelta(days=RETENTION_DAYS)).exclude(visitors=b"")
    dropped, _ = PageHits.objects.filter(day__lt=day_of(at - HITS_KEPT)).delete()
    return old.update(visitors=b"", attendance=b"") + dropped


def _store() -> ActivityStore:
    return ActivityStore(redis.boards())


def _try_lock(flush: int) -> HitsFlush | None:
    """Lock the row; None if another run has locked or finished it."""
    return HitsFlush.objects.select_for_update(skip_locked=True).filter(pk=flush).first()


@transaction.atomic
def _move(flush: int, at: datetime) -> None:
    row = _try_lock(flush)
    if row is not None and row.moved_at is None:
        _move_locked(row, at)


def _move_locked(row: HitsFlush, at: datetime) -> None:
    _store().stage_hits(row.day, row.pk)
    failpoint("flush.after_move")
    row.moved_at = at
    row.save(update_fields=["moved_at"])


def _count(flush: int, at: datetime) -> int:
    """Advance a flush by one step: stage its hits, or count and finish it. Returns how many hits were counted."""
    with transaction.atomic():
        row = _try_lock(flush)
        if row is None:
            return 0
        if row.moved_at is None:
            _move_locked(row, at)
            return 0
        if row.counted_at is None and at - row.moved_at < ON_DISK_AFTER:
            return 0
        hits = {} if row.counted_at else _store().staged_hits(row.day, row.pk)
        _add(row.day, hits)
        HitsFlush.objects.filter(pk=flush).update(counted_at=at)
        failpoint("flush.before_commit")
    failpoint("flush.after_commit")
    _store().drop_staged_hits(row.day, row.pk)
    failpoint("flush.after_unlink")
    HitsFlush.objects.filter(pk=flush).delete()
    return sum(hits.values())


def _add(day: date, hits: dict[str, int]) -> None:
    """Add hits in sorted order, so that two flushes lock the rows in the same order."""
    insert("likes_pagehits", _HITS, [(day.isoformat(), page, count) for page, count in sorted(hits.items())], _ADD)


def _days_to_merge(today: date) -> list[date]:
    """The days that may still grow, and those that SQL has and Redis lost."""
    days, rows = days_until(today, ATTENDANCE_DAYS), ActivityDay.objects.all()
    visited, attended = set(_store().days_with_visitors(days)), set(_store().days_with_attendance(days))
    lost = set(rows.filter(day__in=days).exclude(visitors=b"").values_list("day", flat=True)) - visited
    lost |= set(rows.filter(day__in=days).exclude(attendance=b"").values_list("day", flat=True)) - attended
    return sorted(lost | visited & set(days[-2:]))


@transaction.atomic
def _merge(day: date, at: datetime) -> None:
    """Merge a day under its row's lock, so that a concurrent run does not overwrite it with less."""
    ActivityDay.objects.get_or_create(day=day)
    row = ActivityDay.objects.select_for_update().get(day=day)
    merged = _store().merge(day, bytes(row.visitors), bytes(row.attendance), at)
    failpoint("flush.after_merge")
    if (merged.visitors, merged.attendance) == (bytes(row.visitors), bytes(row.attendance)):
        return
    row.visitors, row.visitors_count = merged.visitors, merged.visitors_count
    row.attendance, row.attendance_count = merged.attendance, merged.attendance_count
    row.save()
