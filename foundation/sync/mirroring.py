"""How SQL follows what Redis decides over, whatever that is: in chunks, in turns, for a while, with a sign of life.

What a chunk is, and why copying it twice does no harm, is the business of who mirrors. The trap: what is written faster
than it is copied is never clean, so nobody else may wait for that.
"""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable
from foundation.models import Heartbeat

logger = logging.getLogger(__name__)

RUN_SECONDS = 5.0
IDLE_HEARTBEAT_INTERVAL = timedelta(seconds=3)  # who sees that nothing is left says so no more often

Mirrored = TypeVar("Mirrored", bound=Hashable)
Copied = tuple[int, int]  # how many rows were copied, and how many were left

_left: dict[str, list[Any]] = {}  # by sign: those whose turn it was when this process's last run ended


def mirror_each(
    each: Iterable[Mirrored], copy_chunk: Callable[[Mirrored], Copied], heartbeat: str, seconds: float = RUN_SECONDS
) -> int:
    """Mirror each, a chunk at a time in turns, for about so many seconds; returns how many rows were copied.

    Who was left when the time was over is the first of the next run. A run that missed nothing, and left nobody, gives
    the ``heartbeat`` of life. Where Redis is away, or somebody else holds what a chunk needs, the dirty marks stay, and
    the
    next run goes on. What fails is raised when all had their turn; without SQL nobody's turn would come to anything.
    """
    turns, ends_at = deque(_those_left_first(each, heartbeat)), clock.monotonic() + seconds
    copied, missed, failed = 0, False, list[Exception]()
    while turns and clock.monotonic() < ends_at:
        one = turns.popleft()
        try:
            found, left = copy_chunk(one)
        except Exception as error:
            missed = True
            if isinstance(error, CONNECTION_ERRORS) and not is_busy(error):
                raise
            if isinstance(error, (Unavailable, *CONNECTION_ERRORS)):
                logger.warning("%s is not mirrored now: %s", one, getattr(error, "detail", error))
            else:
                failed.append(error)
            continue
        copied += found
        if found and left:
            turns.append(one)
    _left[heartbeat] = list(turns)
    if failed:
        raise ExceptionGroup("some could not be mirrored", failed)
    if not missed and not turns:
        Heartbeat.note(heartbeat, clock.now())
    return copied


def record_idle_run(heartbeat: str) -> None:
    """Give the sign of life of a run that had nothing to copy, not so often that SQL would have to write for it."""
    at = clock.now()
    silence = Heartbeat.silence(heartbeat, at)
    if silence is None or silence >= IDLE_HEARTBEAT_INTERVAL:
        Heartbeat.note(heartbeat, at)


def _those_left_first(each: Iterable[Mirrored], heartbeat: str) -> Sequence[Mirrored]:
    places = {one: place for place, one in enumerate(_left.get(heartbeat, ()))}
    return sorted(each, key=lambda one: places.get(one, len(places)))


def copy_until_clean(copy_chunk: Callable[[], Copied]) -> int:
    """Copy chunks; returns how many rows that were.

    It ends with a chunk that left nothing behind, not when nothing is dirty: under steady load that never comes.
    """
    copied = 0
    while True:
        found, left = copy_chunk()
        copied += found
        if not found or not left:
            return copied
