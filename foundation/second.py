"""What was made in the last second, kept by each process: however many ask, it is made about once a second.

When the second is over one asker makes the next, and all others still get the old one until it is there, for three
seconds at most. The trap: what a transaction sees may be rolled back, so nothing of it belongs in here.
"""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from foundation import clock

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")

KEPT_SECONDS = 1.0
STALE_SECONDS = 3.0
TURNS = 64  # at which different things are made side by side


@dataclass(slots=True)
class _Kept(Generic[Made]):
    """What was made, and when. Who may make the next one moves ``next_at`` on."""

    made: Made
    made_at: float
    next_at: float
    ends_at: float


class Second(Generic[Key, Made]):
    """What was made in the last second, by key; at most ``most`` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Key, _Kept[Made]] = {}
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]

    def of(self, key: Key, make: Callable[[], Made]) -> Made:
        """What is kept, else what ``make`` makes: one at a time, so that a crowd that comes at once waits for one."""
        found = self.found(key)
        if found is not None:
            return found
        with self._turns[hash(key) % TURNS]:
            kept = self._kept.get(key)
            if kept and kept.made_at + KEPT_SECONDS > clock.monotonic():
                return kept.made
            made = make()
            self.keep(key, made)
            return made

    def found(self, key: Key) -> Made | None:
        """What is kept; None for the one who has to make it."""
        at = clock.monotonic()
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.ends_at <= at:
                return None
            if kept.next_at <= at:
                kept.next_at = kept.ends_at
                return None
            return kept.made

    def lately(self, key: Key) -> Made | None:
        """What is kept, needed or not."""
        kept = self._kept.get(key)
        return kept.made if kept and kept.ends_at > clock.monotonic() else None

    def in_time(self, key: Key) -> Made | None:
        """What is kept and needs no next one yet."""
        kept = self._kept.get(key)
        return kept.made if kept and kept.next_at > clock.monotonic() else None

    def keep(self, key: Key, made: Made) -> None:
        """From now on this is what the others get."""
        at = clock.monotonic()
        with self._lock:
            if len(self._kept) >= self._most:
                self._kept.clear()
            self._kept[key] = _Kept(made, at, at + KEPT_SECONDS, at + STALE_SECONDS)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)
