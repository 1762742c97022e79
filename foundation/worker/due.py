"""What is due each second: one look asks which tasks have something to do, and those alone are sent.

A look asks as little of many boards as of one. It saves work, and nothing rests on it: where it fails, all that it
speaks for is due, and each of those tasks comes by itself now and then as well (``config/schedule.py``).
"""

import logging
from collections.abc import Callable, Sequence

from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable
from foundation.models import KnownRedis
from foundation.redis import client as redis

logger = logging.getLogger(__name__)

Look = Callable[[], Sequence[str]]
_looks: dict[Look, Sequence[str]] = {}


def register_check(look: Look, tasks: Sequence[str]) -> None:
    """Ask ``look`` which of these tasks, by name, are due. Asking twice changes nothing."""
    _looks[look] = tasks


def find_due_work() -> list[str]:
    """The names of the tasks that have something to do now. Raises what SQL raises while it is away: then none has."""
    if not _is_known():
        return [task for tasks in _looks.values() for task in tasks]
    names: list[str] = []
    for look, tasks in _looks.items():
        try:
            names += look()
        except Unavailable:  # the tasks say so, each in its own words
            names += tasks
        except Exception as error:
            if isinstance(error, CONNECTION_ERRORS) and not is_busy(error):
                raise
            logger.exception("nobody knows whether these are due, so they are: %s", ", ".join(tasks))
            names += tasks
    return names


def _is_known() -> bool:
    """Whether Redis answers at its address, over a new connection, as a server that SQL knows."""
    try:
        return KnownRedis.is_known(redis.resync_client().fetch_identity())
    except Unavailable:
        return False
