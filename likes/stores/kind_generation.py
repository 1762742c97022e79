"""The generation of kinds that Redis decides, as SQL knows it, and the barrier between resyncs and mirrors.

The generation is read from SQL every few seconds and cached while SQL is unavailable. That is safe: a script with an
old generation is refused, and then the generation is read again.
"""

import zlib
from collections.abc import Callable, Collection
from typing import TypeVar

from foundation.db.resilience import StaleIfErrorCache
from foundation.sync import barrier
from foundation.sync.redis_state import StaleGeneration
from likes.core.kinds import Storage
from likes.models import LikeKind

FRESH_SECONDS = 5.0

Answer = TypeVar("Answer")


def _load(kinds: Collection[str]) -> dict[str, int]:
    rows = LikeKind.objects.filter(kind__in=kinds, storage=Storage.REDIS, stale_since=None, generation__gt=0)
    return dict(rows.values_list("kind", "generation"))


_generations: StaleIfErrorCache[str, int] = StaleIfErrorCache(_load, fresh=FRESH_SECONDS)


def retry_if_stale(kind: str, script: Callable[[int], Answer]) -> Answer:
    """Run ``script`` with the kind's generation, and again with the current one if the cached one is outdated.

    Raises ``StaleGeneration``, ``SqlAway`` if the generation is not cached, and the script's errors.
    """
    cached = _generations.get(kind)
    if cached is not None:
        try:
            return script(cached)
        except StaleGeneration:  # nothing was done
            pass
    current = _generations.refresh(kind)
    if current is None or current == cached:
        raise StaleGeneration("Redis does not have these likes yet.")
    return script(current)


def hold_shared(kind: str) -> None:
    """Wait for a running resync, then keep resyncs out until this transaction ends."""
    barrier.hold_shared(_lock_number(kind), barrier.LIKES)


def hold_exclusive(kind: str, max_wait: float) -> None:
    """Wait up to ``max_wait`` seconds for mirrors, then keep them out until this transaction ends.

    Raises ``SqlBusy``.
    """
    barrier.hold_exclusive(_lock_number(kind), barrier.LIKES, max_wait)


def _lock_number(kind: str) -> int:
    """The number of the kind's advisory lock. Two kinds with the same number only wait for each other."""
    return zlib.crc32(kind.encode())
