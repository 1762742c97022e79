"""What the clock pulls: each task is five lines around a service. When they run is in ``config/schedule.py``."""

import logging

from celery import shared_task

from foundation import clock
from foundation.errors import Unavailable
from likes.services import flush as flushing
from likes.services import liked_on

logger = logging.getLogger(__name__)


@shared_task
def flush_activity() -> int:
    """Keep in SQL what people do, and bring back to Redis what it lost of it; while it is away, that waits."""
    at = clock.now()
    try:
        liked_on.open_tomorrow(at)
        flushing.keep_days(at)
        return flushing.flush_hits(at)
    except Unavailable as error:
        logger.warning("no activity is flushed now: %s", error.detail)
        return 0


@shared_task
def retain_activity() -> int:
    """Let go of who was there long ago; the numbers stay."""
    return flushing.let_go(clock.now())
