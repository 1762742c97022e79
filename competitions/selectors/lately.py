"""What is costly to compute, kept for a moment by each process: a busy page computes it once.

It is kept for a second, or for four times what it took, so that at most a fifth of a thread's time goes into it; while
one computes the next, the others get the one before. Bounded by weight, but for the newest. Inside a transaction
nothing is kept.
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

KEPT_SECONDS = 1.0
TIMES_ITS_COST = 4
TURNS = 16  # at which different things are computed side by side


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Made]):
    """``until`` it is as good as new; until ``ends_at`` it does while the next is computed. Both monotonic seconds."""

    made: Made
    weight: int
    until: float
    ends_at: float


class Lately(Generic[Key, Made]):
    """What was made lately, by key; ``heaviest`` is what all of it may weigh together, in units of ``weigh``."""

    def __init__(self, heaviest: int, weigh: Callable[[Made], int]) -> None:
        self._heaviest, self._weigh = heaviest, weigh
        self._kept: OrderedDict[Key, _Kept[Made]] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]
        self._making: set[Key] = set()  # each by one thread at a time: they take turns by the key

    def of(self, key: Key, make: Callable[[], Made]) -> Made:
        """What is kept, else what ``make`` makes. What it raises is raised here, and nothing is kept."""
        if connection.in_atomic_block:
            return make()
        now, kept = clock.monotonic(), self._kept.get(key)
        if kept is not None and now < kept.until:
            return kept.made
        turn = self._turns[hash(key) % TURNS]
        does_meanwhile = kept is not None and now < kept.ends_at
        if not turn.acquire(blocking=not does_meanwhile):
            assert kept is not None  # noqa: S101 - for the type checker: else it would have waited
            return kept.made
        try:
            return self._in_turn(key, make)
        finally:
            turn.release()

    def forget(self, chosen: Callable[[Key], bool] = lambda _key: True) -> None:
        """Drop what has a ``chosen`` key; what is being made of such a key is not kept either."""
        with self._lock:
            for key in [each for each in self._kept if chosen(each)]:
                del self._kept[key]
            for key in [each for each in self._making if chosen(each)]:
                self._making.discard(key)

    def _in_turn(self, key: Key, make: Callable[[], Made]) -> Made:
        begun, kept = clock.monotonic(), self._kept.get(key)
        if kept is not None and begun < kept.until:
            return kept.made
        with self._lock:
            self._making.add(key)
        try:
            made = make()
            now = clock.monotonic()
            kept_for = max(KEPT_SECONDS, TIMES_ITS_COST * (now - begun))
            with self._lock:
                if key in self._making:  # else it was forgotten meanwhile
                    self._keep(key, _Kept(made, self._weigh(made), now + kept_for, now + 2 * kept_for))
        finally:
            with self._lock:
                self._making.discard(key)
        return made

    def _keep(self, key: Key, kept: _Kept[Made]) -> None:
        """The oldest make room. What is heavier than all may be is kept alone: to compute it each time costs more."""
        self._kept.pop(key, None)
        while self._kept and self._weight() + kept.weight > self._heaviest:
            self._kept.popitem(last=False)
        self._kept[key] = kept

    def _weight(self) -> int:
        return sum(each.weight for each in self._kept.values())
