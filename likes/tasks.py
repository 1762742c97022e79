"""The Celery tasks of likes; ``foundation/worker/schedule.py`` says when they run."""

import logging

from celery import shared_task

from foundation import clock
from foundation.db.back_off import BackOff
from foundation.db.resilience import SqlAway
from foundation.errors import Unavailable
from likes.services import check as checking
from likes.services import count as counting
from likes.services import flush as flushing
from likes.services import mirror as mirroring
from likes.services import resync as resyncing
from likes.services import retain as retaining

logger = logging.getLogger(__name__)

CHECK_SECONDS = 20.0

_back_off = BackOff()  # shared by the tasks that run each second


@shared_task
def count() -> int:
    """Add the likes that SQL decided to the counts. While SQL is unavailable, back off."""
    try:
        return _back_off.attempt(lambda: counting.count_due(clock.now()))
    except SqlAway:
        return 0


@shared_task
def mirror_likes() -> int:
    """Copy the likes that Redis decided to SQL. While SQL is unavailable, back off."""
    try:
        return _back_off.attempt(mirroring.mirror_all)
    except SqlAway:
        return 0


@shared_task
def settle_likes() -> int:
    """Resync the kinds that Redis decides and whose data it lost. While Redis is unavailable, wait."""
    try:
        return _back_off.attempt(lambda: resyncing.resync_due(clock.now()))
    except SqlAway:
        return 0
    except Unavailable as error:
        logger.warning("no likes are resynced now: %s", error.detail)
        return 0


@shared_task
def check() -> int:
    """Compare counts with likes for 20 seconds and repair them. While Redis is unavailable, only those of SQL."""
    return sum(len(each.differences) for each in checking.check_all(clock.now(), CHECK_SECONDS))


@shared_task
def retain_likes() -> int:
    """Delete likes that were taken back."""
    return retaining.retain(clock.trusted_now())


@shared_task
def flush_activity() -> int:
    """Save activity from Redis in SQL, and restore what Redis lost. While Redis is unavailable, wait."""
    at = clock.now()
    try:
        flushing.merge_days(at)
        return flushing.flush_hits(at)
    except Unavailable as error:
        logger.warning("no activity is flushed now: %s", error.detail)
        return 0


@shared_task
def retain_activity() -> int:
    """Delete old visitor and attendance sets; the counts stay."""
    return flushing.prune_activity(clock.trusted_now())
