"""What the clock pulls: each task is five lines around a service. When they run is in ``config/schedule.py``."""

import logging

from celery import shared_task

from foundation import clock
from foundation.db.resilience import BackOff, SqlAway
from foundation.errors import Unavailable
from likes.services import check as checking
from likes.services import count as counting
from likes.services import flush as flushing
from likes.services import mirror as mirroring
from likes.services import resync as resyncing
from likes.services import retain as retaining

logger = logging.getLogger(__name__)

CHECK_SECONDS = 20.0

_back_off = BackOff()  # of the tasks of every second


@shared_task
def count() -> int:
    """Add the likes that SQL decided to the counts; while SQL is away, try less often."""
    try:
        return _back_off.attempt(lambda: counting.count_due(clock.now()))
    except SqlAway:
        return 0


@shared_task
def mirror_likes() -> int:
    """Let SQL follow the likes that Redis decides over; while it is away, try less often."""
    try:
        return _back_off.attempt(mirroring.mirror_all)
    except SqlAway:
        return 0


@shared_task
def settle_likes() -> int:
    """Bring back to Redis the likes that it decides over and lost; while it is away, wait."""
    try:
        return _back_off.attempt(lambda: resyncing.resync_due(clock.now()))
    except SqlAway:
        return 0
    except Unavailable as error:
        logger.warning("no likes are settled now: %s", error.detail)
        return 0


@shared_task
def check() -> int:
    """Compare counts with likes for a while, and repair; while Redis is away, only SQL's."""
    return sum(len(each.differences) for each in checking.check_all(clock.now(), CHECK_SECONDS))


@shared_task
def retain_likes() -> int:
    """Let go of likes that were taken back."""
    return retaining.retain(clock.trusted_now())


@shared_task
def flush_activity() -> int:
    """Keep in SQL what people do, and bring back to Redis what it lost of it; while it is away, that waits."""
    at = clock.now()
    try:
        flushing.merge_days(at)
        return flushing.flush_hits(at)
    except Unavailable as error:
        logger.warning("no activity is flushed now: %s", error.detail)
        return 0


@shared_task
def retain_activity() -> int:
    """Let go of who was there long ago; the numbers stay."""
    return flushing.prune_activity(clock.trusted_now())
