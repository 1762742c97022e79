"""What the clock pulls: each task is five lines around a service. When they run is in ``config/schedule.py``."""

import logging

from celery import shared_task

from foundation import clock
from foundation.db.resilience import BackOff, SqlAway
from foundation.errors import Unavailable
from foundation.worker.each import run_each
from leaderboards.services.imports import worker as importing
from leaderboards.services.moderation import run_purge
from leaderboards.services.periods import close as closing
from leaderboards.services.periods import open as opening
from leaderboards.services.periods import rank_history as keeping
from leaderboards.services.periods import retention as retaining
from leaderboards.services.players import fold_names as folding
from leaderboards.services.sync import mirror as mirroring
from leaderboards.services.sync import resync_periods as settling
from leaderboards.services.sync import verify as verifying

logger = logging.getLogger(__name__)

VERIFY_SECONDS = 20.0
IMPORT_SECONDS = 4.0
FOLD_SECONDS = 8.0

_back_off = BackOff()  # of the tasks of every second


@shared_task
def mirror() -> int:
    """Let SQL follow the boards that Redis decides over; while it is away, try less often."""
    try:
        return _back_off.attempt(mirroring.mirror_all)
    except SqlAway:
        return 0


@shared_task
def settle() -> int:
    """Bring back to Redis what it lost; while it is away there is nothing to do but wait."""
    try:
        return _back_off.attempt(lambda: settling.resync_due(clock.now()))
    except SqlAway:
        return 0
    except Unavailable as error:
        logger.warning("nothing is settled now: %s", error.detail)
        return 0


@shared_task
def open_periods() -> int:
    """Make the running and the next period of every board."""
    return opening.open_due(clock.trusted_now())


@shared_task
def close_periods() -> int:
    """Bring every period that is past its grace to its end; those that wait for Redis are tried again."""
    return sum(closed.final for closed in closing.close_due(clock.trusted_now()))


@shared_task
def keep_ranks() -> int:
    """Keep the best of the running periods where that is due."""
    return keeping.record_due_rank_history(clock.trusted_now())


@shared_task
def purge() -> int:
    """Go on with purges that were asked for, and with their undoing, for about four seconds."""
    return run_purge.run_due(clock.trusted_now())


@shared_task
def verify() -> int:
    """Compare Redis with SQL for a while, and repair; while Redis is away there is nothing to compare."""
    try:
        found = verifying.verify_all(clock.now(), VERIFY_SECONDS)
    except Unavailable as error:
        logger.warning("nothing is verified now: %s", error.detail)
        return 0
    return sum(each.differences for each in found)


@shared_task
def advance_imports() -> int:
    """Judge, apply and undo what was uploaded, for a while."""
    try:
        return _back_off.attempt(lambda: importing.advance_due(clock.trusted_now(), IMPORT_SECONDS))
    except SqlAway:
        return 0


@shared_task
def fold_names() -> int:
    """Fold names that are not folded yet, so that search finds them, for a while."""
    try:
        return _back_off.attempt(lambda: folding.fold_due_names(FOLD_SECONDS))
    except SqlAway:
        return 0


@shared_task
def retain() -> dict[str, int]:
    """Let go what has been kept long enough. Keys wait while Redis is away; submissions need only SQL."""
    at = clock.trusted_now()
    expired, dropped, folded, records, snapshots, imports = run_each(
        lambda: retaining.expire_due(at),
        lambda: retaining.drop_submissions(at),
        lambda: retaining.compact_submissions(at),
        lambda: retaining.drop_records(at),
        lambda: retaining.thin_snapshots(at),
        lambda: importing.delete_old_runs(at),
    )
    return {
        "expired": expired,
        "dropped": dropped,
        "folded": folded,
        "records": records,
        "snapshots": snapshots,
        "imports": imports,
    }
