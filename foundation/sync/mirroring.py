"""Copy what Redis decides to SQL: in chunks, round robin, within a time budget, with a heartbeat.

The caller's ``copy_chunk`` must be idempotent. The trap: a source that is written faster than it is copied never
becomes clean, so nothing may wait for a clean source.
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
IDLE_HEARTBEAT_INTERVAL = timedelta(seconds=3)  # so that idle runs rarely write to SQL

Mirrored = TypeVar("Mirrored", bound=Hashable)
Copied = tuple[int, int]  # how many rows were copied, and how many are still dirty

_unfinished: dict[str, list[Any]] = {}  # by heartbeat: the sources that this process's last run did not finish


def mirror_each(
    sources: Iterable[Mirrored], copy_chunk: Callable[[Mirrored], Copied], heartbeat: str, seconds: float = RUN_SECONDS
) -> int:
    """Mirror the sources round robin, a chunk at a time, for about ``seconds``; returns how many rows were copied.

    Sources that were not finished come first in the next run. The ``heartbeat`` is recorded if every source was
    finished without an error. If Redis is unavailable or a lock is taken, the next run takes the source, and its
    dirty marks stay. Other errors are raised together at the end; if SQL cannot be reached, that is raised at once.
    """
    queue, ends_at = deque(_unfinished_first(sources, heartbeat)), clock.monotonic() + seconds
    total, is_complete, errors = 0, True, list[Exception]()
    while queue and clock.monotonic() < ends_at:
        source = queue.popleft()
        try:
            copied, left = copy_chunk(source)
        except Exception as error:
            is_complete = False
            if isinstance(error, CONNECTION_ERRORS) and not is_busy(error):
                raise
            if isinstance(error, (Unavailable, *CONNECTION_ERRORS)):
                logger.warning("%s is not mirrored now: %s", source, getattr(error, "detail", error))
            else:
                errors.append(error)
            continue
        total += copied
        if copied and left:
            queue.append(source)
    _unfinished[heartbeat] = list(queue)
    if errors:
        raise ExceptionGroup("some could not be mirrored", errors)
    if is_complete and not queue:
        Heartbeat.note(heartbeat, clock.now())
    return total


def record_idle_run(heartbeat: str) -> None:
    """Record the heartbeat of a run that had nothing to copy, at most every ``IDLE_HEARTBEAT_INTERVAL``."""
    at = clock.now()
    silence = Heartbeat.silence(heartbeat, at)
    if silence is None or silence >= IDLE_HEARTBEAT_INTERVAL:
        Heartbeat.note(heartbeat, at)


def _unfinished_first(sources: Iterable[Mirrored], heartbeat: str) -> Sequence[Mirrored]:
    positions = {source: position for position, source in enumerate(_unfinished.get(heartbeat, ()))}
    return sorted(sources, key=lambda source: positions.get(source, len(positions)))


def copy_until_clean(copy_chunk: Callable[[], Copied]) -> int:
    """Copy chunks until one leaves nothing dirty, or copies nothing; returns how many rows were copied.

    Under steady load the last chunk may be followed by new dirty rows at once: the source need not be clean afterwards.
    """
    total = 0
    while True:
        copied, left = copy_chunk()
        total += copied
        if not copied or not left:
            return total
