"""Finding out each second which tasks have work to do, so that only those are sent.

A check's cost must not depend on the number of boards. It only saves work: if a check fails, all its tasks count as
due, and each task also runs on its own schedule now and then (``foundation/worker/schedule.py``).
"""

import logging
from collections.abc import Callable, Sequence

from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable
from foundation.models import KnownRedis
from foundation.redis import client as redis

logger = logging.getLogger(__name__)

Check = Callable[[], Sequence[str]]
_checks: dict[Check, Sequence[str]] = {}


def register_check(check: Check, tasks: Sequence[str]) -> None:
    """Register ``check``, which returns the names of those of ``tasks`` that are due."""
    _checks[check] = tasks


def find_due_work() -> list[str]:
    """The names of the tasks that have work to do now. Raises the driver's error while SQL is unavailable."""
    if not _is_redis_known():
        return [task for tasks in _checks.values() for task in tasks]
    names: list[str] = []
    for check, tasks in _checks.items():
        try:
            names += check()
        except Unavailable:  # each task reports it itself
            names += tasks
        except Exception as error:
            if isinstance(error, CONNECTION_ERRORS) and not is_busy(error):
                raise
            logger.exception("nobody knows whether these are due, so they are: %s", ", ".join(tasks))
            names += tasks
    return names


def _is_redis_known() -> bool:
    """Whether every server of Redis answers over a new connection, and SQL knows it."""
    try:
        return all(KnownRedis.is_known(each.fetch_identity()) for each in redis.resync_client().each_server())
    except Unavailable:
        return False
