"""Kinds that Redis decides over, as SQL knows them: the generation that Redis must show, and the barrier.

The generation is asked of SQL every few seconds and remembered while SQL is away. That is safe: a script that carries
an old one is refused, and who is refused asks again.
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
    """What ``script`` answers under the kind's generation; run once more if the kind was settled since we asked.

    Raises ``StaleGeneration``, ``SqlAway`` where nobody remembers the generation, and what the script raises.
    """
    known = _generations.get(kind)
    if known is not None:
        try:
            return script(known)
        except StaleGeneration:  # nothing was done
            pass
    present = _generations.refresh(kind)
    if present is None or present == known:
        raise StaleGeneration("Redis does not have these likes yet.")
    return script(present)


def hold_shared(kind: str) -> None:
    """Wait for settling, then keep it out until this transaction ends."""
    barrier.hold_shared(_number(kind), barrier.LIKES)


def hold_exclusive(kind: str, max_wait: float) -> None:
    """Wait for the mirror, for so many seconds, then keep it out until this transaction ends. Raises ``SqlBusy``."""
    barrier.hold_exclusive(_number(kind), barrier.LIKES, max_wait)


def _number(kind: str) -> int:
    """A lock is a number. Two kinds that share one wait for each other, and nothing worse."""
    return zlib.crc32(kind.encode())
