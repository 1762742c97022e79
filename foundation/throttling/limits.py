"""Rate limits, local sliding windows for when Redis is unavailable, and quota reserved in Redis's windows.

The settings read their limits with this module, so it uses the standard library only. A refused request is not
counted, so that retrying does not extend the wait.
"""

import math
import re
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

MOST_REQUESTS = 100_000
MOST_SECONDS = 86_400
MOST_WINDOWS = 10_000
_TEXT = re.compile(r"([0-9]{1,6})/([0-9]{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``requests`` (1 to 100,000) within any ``seconds`` (1 to 86,400). Raises ``ValueError`` beyond those."""

    requests: int
    seconds: int

    def __post_init__(self) -> None:
        if not (1 <= self.requests <= MOST_REQUESTS and 1 <= self.seconds <= MOST_SECONDS):
            raise ValueError(f"A limit is 1 to {MOST_REQUESTS} requests in 1 to {MOST_SECONDS} seconds; got {self}.")

    def __str__(self) -> str:
        return f"{self.requests}/{self.seconds}"

    @property
    def max_reserved(self) -> int:
        """How many requests a process may reserve at once: a thousandth of the limit, at least 1."""
        return max(1, self.requests // 1000)

    @property
    def reserved_seconds(self) -> float:
        """How long reserved quota is valid: a hundredth of the window."""
        return self.seconds / 100 if self.max_reserved > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request is allowed, how many more would be now, and in how many ms the next one will be (0: now)."""

    allowed: bool
    remaining: int
    wait_ms: int

    @property
    def retry_after(self) -> int:
        """The wait in whole seconds, rounded up, at least one, for the ``Retry-After`` header."""
        return max(1, math.ceil(self.wait_ms / 1000))


def read_limit(text: str) -> Limit | None:
    """Parse a limit such as ``"100/10"``, 100 requests in 10 seconds; None for ``""`` and ``"0"``.

    Raises ``ValueError``.
    """
    text = text.strip()
    if text in ("", "0"):
        return None
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"A limit reads like 100/10, for 100 requests in 10 seconds; got {text!r}.")
    return Limit(int(match[1]), int(match[2]))


class LocalWindows:
    """Sliding windows in this process's memory, at most ``most`` of them; the least recently used is evicted."""

    def __init__(self, most: int = MOST_WINDOWS) -> None:
        self._most = most
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str, limit: Limit, now: float, requests: int = 1) -> Verdict:
        """Count ``requests`` in the window ``name`` if all are allowed at ``now`` (monotonic seconds)."""
        with self._lock:
            times = self._times.setdefault(name, deque())
            self._times.move_to_end(name)
            if len(self._times) > self._most:
                self._times.popitem(last=False)
            while times and times[0] <= now - limit.seconds:
                times.popleft()
            allowed = len(times) + requests <= limit.requests
            if allowed:
                times.extend([now] * requests)
            over = len(times) - limit.requests
            first_to_leave = over if allowed else over + requests - 1
            wait = times[first_to_leave] + limit.seconds - now if first_to_leave >= 0 else 0.0
            return Verdict(allowed, max(0, -over), math.ceil(1000 * wait))

    def __len__(self) -> int:
        return len(self._times)

    def forget(self) -> None:
        """Clear all windows."""
        with self._lock:
            self._times.clear()


@dataclass(slots=True)
class _Reservation:
    """Requests reserved together: how many, how many are left, and until when (monotonic seconds)."""

    size: int
    left: int
    valid_until: float


class ReservedQuota:
    """Quota that this process reserved ahead in shared windows, for at most ``most`` windows.

    A reservation is twice the size of the last one if that was used up in time, otherwise 1: so a caller with few
    requests reserves no more than it uses.
    """

    def __init__(self, most: int = MOST_WINDOWS) -> None:
        self._most = most
        self._reservations: dict[str, _Reservation] = {}
        self._lock = threading.Lock()

    def use(self, name: str, limit: Limit, now: float) -> int:
        """Use one reserved request and return 0; if none is left, return how many to reserve, including this one."""
        with self._lock:
            reservation = self._reservations.get(name)
            if reservation is None or now >= reservation.valid_until:
                return 1
            if reservation.left:
                reservation.left -= 1
                return 0
            size = max(1, min(2 * reservation.size, limit.max_reserved))
            reservation.size = 0  # until the new reservation arrives other threads reserve one request each
            return size

    def keep(self, name: str, limit: Limit, taken: int, now: float) -> None:
        """Store a reservation of ``taken`` requests that was asked for at ``now``; one of them is used already."""
        if limit.max_reserved == 1:
            return
        with self._lock:
            reservation = self._reservations.get(name)
            if reservation and reservation.left and now < reservation.valid_until:
                return
            if len(self._reservations) >= self._most:
                self._reservations.clear()
            self._reservations[name] = _Reservation(taken, taken - 1, now + limit.reserved_seconds)

    def forget(self) -> None:
        """Drop all reservations."""
        with self._lock:
            self._reservations.clear()
