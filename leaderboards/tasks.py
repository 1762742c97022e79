"""What the clock pulls: each task is five lines around a service. When they run is in ``config/schedule.py``."""

import logging

from celery import shared_task

from foundation import clock
from foundation.errors import Unavailable
from leaderboards.services import close as closing
from leaderboards.services import mirror as mirroring
from leaderboards.services import open as opening
from leaderboards.services import settle as settling

logger = logging.getLogger(__name__)


@shared_task
def mirror() -> int:
    """Let SQL follow the boards that Redis decides over."""
    return mirroring.mirror_all()


@shared_task
def settle() -> int:
    """Bring back to Redis what it lost; while it is away there is nothing to do but wait."""
    try:
        return settling.settle_due(clock.now())
    except Unavailable as error:
        logger.warning("nothing is settled now: %s", error.detail)
        return 0


@shared_task
def open_periods() -> int:
    """Make the running and the next period of every board."""
    return opening.open_due(clock.now())


@shared_task
def close_periods() -> int:
    """Bring every period that is past its grace to its end; those that wait for Redis are tried again."""
    return sum(closed.final for closed in closing.close_due(clock.now()))
