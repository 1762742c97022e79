"""An in-process cache with a time to live of a second: each value is computed about once a second, however many ask.

When a value expires, one thread computes the next while all others still get the old one. Values that are slow to
compute live longer, in proportion to their cost. A value's age counts from when its computation began, because the
process may be suspended meanwhile. The trap: a transaction may see what is later rolled back, so inside one every
value is computed anew and none is stored.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import connection

from foundation import clock

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

TTL_SECONDS = 1.0
MAX_STALE_SECONDS = 3.0  # the oldest value served during a recomputation, unless its cost gives it a longer life
LOCK_STRIPES = 64  # keys share these locks; keys of different stripes are computed in parallel


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """A value that is fresh until ``fresh_until``, and served while stale until ``stale_until`` (monotonic seconds)."""

    value: Value
    weight: int
    fresh_until: float
    stale_until: float


class MicroCache(Generic[Key, Value]):
    """Values of the last second, by key.

    ``max_weight`` is the limit of all weights together; ``weigh`` gives a value's weight, 1 by default.
    ``ttl_per_cost``: a value lives for this many times the seconds that its computation took, if that is over a second.
    ``is_expired`` can end a value's life earlier.
    """

    def __init__(
        self,
        max_weight: int,
        weigh: Callable[[Value], int] = lambda _: 1,
        ttl_per_cost: float = 0,
        is_expired: Callable[[Value], bool] = lambda _: False,
    ) -> None:
        self._max_weight, self._weigh = max_weight, weigh
        self._ttl_per_cost, self._is_expired = ttl_per_cost, is_expired
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._total_weight = 0
        self._computing: set[Key] = set()  # at most one thread for each key: the stripe's lock sees to that
        self._lock = threading.Lock()
        self._stripes = [threading.Lock() for _ in range(LOCK_STRIPES)]

    def get_or_compute(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The cached value, or what ``compute`` returns. Threads that ask at once wait for one computation.

        If ``compute`` raises, the error passes through and nothing is stored.
        """
        if connection.in_atomic_block:
            return compute()
        now, entry = clock.monotonic(), self._find(key)
        if entry is not None and now < entry.fresh_until:
            return entry.value
        stripe = self._stripes[hash(key) % LOCK_STRIPES]
        if entry is None or entry.stale_until <= now:
            stripe.acquire()
        elif not stripe.acquire(blocking=False):
            return entry.value
        try:
            return self._compute_locked(key, compute, now)
        finally:
            stripe.release()

    def get_stale(self, key: Key) -> Value | None:
        """The cached value, fresh or stale."""
        entry = self._find(key)
        return entry.value if entry is not None and clock.monotonic() < entry.stale_until else None

    def get_fresh(self, key: Key) -> Value | None:
        """The cached value if it is still fresh."""
        entry = self._find(key)
        return entry.value if entry is not None and clock.monotonic() < entry.fresh_until else None

    def put(self, key: Key, value: Value, begun: float) -> None:
        """Store a value whose computation began at ``begun`` (monotonic seconds). Does nothing inside a transaction."""
        if not connection.in_atomic_block:
            with self._lock:
                self._put(key, value, begun, 0)

    def forget(self, matches: Callable[[Key], bool] = lambda _key: True) -> None:
        """Drop the entries whose key ``matches``, by default all; values being computed now will not be stored."""
        with self._lock:
            for key in [each for each in self._entries if matches(each)]:
                self._drop(key)
            for key in [each for each in self._computing if matches(each)]:
                self._computing.discard(key)

    def __len__(self) -> int:
        return len(self._entries)

    def _find(self, key: Key) -> _Entry[Value] | None:
        entry = self._entries.get(key)
        return None if entry is None or self._is_expired(entry.value) else entry

    def _compute_locked(self, key: Key, compute: Callable[[], Value], asked_at: float) -> Value:
        """Compute and store the value, unless another thread did while this one waited for the lock."""
        begun, entry = clock.monotonic(), self._find(key)
        if entry is not None and asked_at < entry.fresh_until:
            return entry.value
        with self._lock:
            self._computing.add(key)
        try:
            value = compute()
            with self._lock:
                if key in self._computing:  # else it was forgotten meanwhile
                    self._put(key, value, begun, clock.monotonic() - begun)
        finally:
            with self._lock:
                self._computing.discard(key)
        return value

    def _put(self, key: Key, value: Value, begun: float, cost: float) -> None:
        """Store an entry; expired ones go, then the oldest, until there is room.

        A value heavier than ``max_weight`` is stored alone: computing it for each request would cost more.
        """
        now, ttl, weight = clock.monotonic(), max(TTL_SECONDS, self._ttl_per_cost * cost), self._weigh(value)
        if key in self._entries:
            self._drop(key)
        while self._entries:
            oldest = next(iter(self._entries))
            if self._entries[oldest].stale_until > now and self._total_weight + weight <= self._max_weight:
                break
            self._drop(oldest)
        self._entries[key] = _Entry(value, weight, begun + ttl, begun + max(MAX_STALE_SECONDS, 2 * ttl))
        self._total_weight += weight

    def _drop(self, key: Key) -> None:
        self._total_weight -= self._entries.pop(key).weight
