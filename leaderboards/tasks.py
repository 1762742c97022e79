"""The scheduled tasks, each a few lines around a service. ``foundation/worker/schedule.py`` says when they run."""

import logging

from celery import shared_task

from foundation import clock
from foundation.db.back_off import BackOff
from foundation.db.resilience import SqlAway
from foundation.errors import Unavailable
from foundation.worker.each import run_each
from leaderboards.services.imports import worker as import_worker
from leaderboards.services.moderation import run_purge
from leaderboards.services.periods import close, delete_old, histograms, rank_history, retention
from leaderboards.services.periods import open as period_opening
from leaderboards.services.players import fold_names as name_folding
from leaderboards.services.players import pictures
from leaderboards.services.sync import mirror as mirror_service
from leaderboards.services.sync import resync_periods, score_ranges
from leaderboards.services.sync import verify as verify_service

logger = logging.getLogger(__name__)

VERIFY_SECONDS = 20.0
IMPORT_SECONDS = 4.0
FOLD_SECONDS = 8.0
PICTURE_SECONDS = 4.0
HISTOGRAM_SECONDS = 20.0

_back_off = BackOff()  # shared by the tasks that run every second


@shared_task
def mirror() -> int:
    """Copy redis boards to SQL; while SQL does not answer, try less often."""
    try:
        return _back_off.attempt(mirror_service.mirror_all)
    except SqlAway:
        return 0


@shared_task
def settle() -> int:
    """Restore to Redis what it lost; while Redis or SQL does not answer, wait."""
    try:
        return _back_off.attempt(lambda: resync_periods.resync_due(clock.now()))
    except SqlAway:
        return 0
    except Unavailable as error:
        logger.warning("nothing is resynced now: %s", error.detail)
        return 0


@shared_task
def follow_score_ranges() -> int:
    """Let score ranges follow the partitions of their boards; while Redis or SQL does not answer, wait."""
    try:
        return _back_off.attempt(lambda: score_ranges.follow_all(clock.now()))
    except (SqlAway, Unavailable):
        return 0


@shared_task
def open_periods() -> int:
    """Open the running and the next period of every board."""
    return period_opening.open_due(clock.trusted_now())


@shared_task
def close_periods() -> int:
    """Close every period whose grace is over; those that wait for Redis are tried again."""
    return sum(closed.final for closed in close.close_due(clock.trusted_now()))


@shared_task
def keep_ranks() -> int:
    """Record the rank history of running periods where that is due."""
    return rank_history.record_due_rank_history(clock.trusted_now())


@shared_task
def take_histograms() -> int:
    """Take the due histograms of running periods with many players, for ``HISTOGRAM_SECONDS``."""
    return histograms.take_due_histograms(clock.trusted_now(), HISTOGRAM_SECONDS)


@shared_task
def purge() -> int:
    """Continue purges and their undo, for about four seconds."""
    return run_purge.run_due(clock.trusted_now())


@shared_task
def verify() -> int:
    """Compare Redis with SQL for a while, and repair differences; it does nothing while Redis does not answer."""
    try:
        found = verify_service.verify_all(clock.now(), VERIFY_SECONDS)
    except Unavailable as error:
        logger.warning("nothing is verified now: %s", error.detail)
        return 0
    return sum(each.differences for each in found)


@shared_task
def advance_imports() -> int:
    """Evaluate, apply and undo imports, for a while."""
    try:
        return _back_off.attempt(lambda: import_worker.advance_due(clock.trusted_now(), IMPORT_SECONDS))
    except SqlAway:
        return 0


@shared_task
def fold_names() -> int:
    """Fold names that have no folded form yet, for ``FOLD_SECONDS``."""
    try:
        return _back_off.attempt(lambda: name_folding.fold_due_names(FOLD_SECONDS))
    except SqlAway:
        return 0


@shared_task
def fetch_pictures() -> int:
    """Fetch pictures of players that are due, for ``PICTURE_SECONDS`` and one try more."""
    try:
        return _back_off.attempt(lambda: pictures.fetch_due_pictures(clock.trusted_now(), PICTURE_SECONDS))
    except SqlAway:
        return 0


@shared_task
def retain() -> dict[str, int]:
    """Delete data whose retention is over. Keys wait while Redis does not answer; submissions need only SQL."""
    at = clock.trusted_now()
    expired, dropped, compacted, records, snapshots, imports, name_changes, deleted, tables = run_each(
        lambda: retention.expire_due(at),
        lambda: retention.drop_submissions(at),
        lambda: retention.compact_submissions(at),
        lambda: retention.drop_records(at),
        lambda: retention.thin_snapshots(at),
        lambda: import_worker.delete_old_runs(at),
        lambda: retention.drop_name_changes(at),
        lambda: delete_old.delete_old_periods(at),
        delete_old.drop_left_over_tables,
    )
    return {
        "expired": expired,
        "dropped": dropped,
        "folded": compacted,
        "records": records,
        "snapshots": snapshots,
        "imports": imports,
        "name_changes": name_changes,
        "periods": deleted,
        "tables": tables,
    }
