"""What was made in the last second, kept by each process: however many ask, it is made about once a second.

When its time is over one asker makes the next, and all others still get the old one until it is there. Costly things
are kept longer, by what they took. It is as old as the moment in which its making began: a process may be stopped in
between. The trap: what a transaction sees may be rolled back, so inside of one everything is made anew, and nothing of
it is kept.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import connection

from foundation import clock

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")

TTL_SECONDS = 1.0
MAX_STALE_SECONDS = (
    3.0  # the oldest that anybody gets while somebody makes the next, unless it is kept longer by its cost
)
TURNS = 64  # at which different things are made side by side


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Made]):
    """``until`` it is as good as new; until ``ends_at`` it does while the next is made. Both monotonic seconds."""

    made: Made
    weight: int
    until: float
    ends_at: float


class MicroCache(Generic[Key, Made]):
    """What was made in the last second, by key.

    ``max_weight`` is what all of it may weigh together, in units of ``weigh``: so many things, unless it is given.
    ``ttl_per_cost``: what takes longer than a part of a second to make is kept for so many times that. What
    ``is_expired`` sooner is kept no longer.
    """

    def __init__(
        self,
        max_weight: int,
        weigh: Callable[[Made], int] = lambda _: 1,
        ttl_per_cost: float = 0,
        is_expired: Callable[[Made], bool] = lambda _: False,
    ) -> None:
        self._heaviest, self._weigh, self._times_its_cost, self._is_over = max_weight, weigh, ttl_per_cost, is_expired
        self._kept: OrderedDict[Key, _Kept[Made]] = OrderedDict()
        self._weighs = 0  # all that is kept
        self._making: set[Key] = set()  # each by one thread at a time: they take turns by the key
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]

    def get_or_compute(self, key: Key, make: Callable[[], Made]) -> Made:
        """What is kept, else what ``make`` makes: one at a time, so that a crowd that comes at once waits for one.

        What ``make`` raises is raised here, and nothing is kept.
        """
        if connection.in_atomic_block:
            return make()
        now, kept = clock.monotonic(), self._found(key)
        if kept is not None and now < kept.until:
            return kept.made
        turn = self._turns[hash(key) % TURNS]
        if kept is None or kept.ends_at <= now:
            turn.acquire()
        elif not turn.acquire(blocking=False):
            return kept.made
        try:
            return self._in_turn(key, make, now)
        finally:
            turn.release()

    def get_stale(self, key: Key) -> Made | None:
        """What is kept, whether it needs a next one or not."""
        kept = self._found(key)
        return kept.made if kept is not None and clock.monotonic() < kept.ends_at else None

    def get_fresh(self, key: Key) -> Made | None:
        """What is kept and needs no next one yet."""
        kept = self._found(key)
        return kept.made if kept is not None and clock.monotonic() < kept.until else None

    def put(self, key: Key, made: Made, begun: float) -> None:
        """From now on this is what the others get: it is of the moment ``begun``, in monotonic seconds. Nothing is kept
        inside a transaction."""
        if not connection.in_atomic_block:
            with self._lock:
                self._put(key, made, begun, 0)

    def forget(self, chosen: Callable[[Key], bool] = lambda _key: True) -> None:
        """Drop what has a ``chosen`` key, else everything; what is being made of such a key is not kept either."""
        with self._lock:
            for key in [each for each in self._kept if chosen(each)]:
                self._drop(key)
            for key in [each for each in self._making if chosen(each)]:
                self._making.discard(key)

    def __len__(self) -> int:
        return len(self._kept)

    def _found(self, key: Key) -> _Kept[Made] | None:
        kept = self._kept.get(key)
        return None if kept is None or self._is_over(kept.made) else kept

    def _in_turn(self, key: Key, make: Callable[[], Made], asked: float) -> Made:
        """What was made while we waited for our turn is good if it was when we ``asked``: a crowd waits for one."""
        begun, kept = clock.monotonic(), self._found(key)
        if kept is not None and asked < kept.until:
            return kept.made
        with self._lock:
            self._making.add(key)
        try:
            made = make()
            with self._lock:
                if key in self._making:  # else it was forgotten meanwhile
                    self._put(key, made, begun, clock.monotonic() - begun)
        finally:
            with self._lock:
                self._making.discard(key)
        return made

    def _put(self, key: Key, made: Made, begun: float, cost: float) -> None:
        """What is over goes, then the oldest make room. What is heavier than all may be is kept alone: to make it each
        time costs more."""
        now, kept_for, weight = clock.monotonic(), max(TTL_SECONDS, self._times_its_cost * cost), self._weigh(made)
        if key in self._kept:
            self._drop(key)
        while self._kept:
            oldest = next(iter(self._kept))
            if self._kept[oldest].ends_at > now and self._weighs + weight <= self._heaviest:
                break
            self._drop(oldest)
        self._kept[key] = _Kept(made, weight, begun + kept_for, begun + max(MAX_STALE_SECONDS, 2 * kept_for))
        self._weighs += weight

    def _drop(self, key: Key) -> None:
        self._weighs -= self._kept.pop(key).weight
