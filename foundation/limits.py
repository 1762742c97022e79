"""Limits: how many requests in how many seconds, and windows that a process keeps by itself while Redis is away.

Standard library only; the settings read their limits with it. The trap: a request that is refused is not noted,
so that trying again keeps nobody out for longer.
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request was let in, how many more would be now, and in how many ms the next one will be (0: now)."""

    allowed: bool
    remaining: int
    wait_ms: int

    @property
    def retry_after(self) -> int:
        """The wait in whole seconds, rounded up, at least one: what ``Retry-After`` says."""
        return max(1, math.ceil(self.wait_ms / 1000))


def read_limit(text: str) -> Limit | None:
    """The limit in ``"100/10"``: 100 requests in 10 seconds; None for ``""`` and ``"0"``. Raises ``ValueError``."""
    text = text.strip()
    if text in ("", "0"):
        return None
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(f"A limit reads like 100/10, for 100 requests in 10 seconds; got {text!r}.")
    return Limit(int(found[1]), int(found[2]))


class Windows:
    """Sliding windows in this process's memory, at most ``most`` of them.

    Beyond that the one that was asked longest ago goes: to be forgotten takes that many others in between.
    """

    def __init__(self, most: int = MOST_WINDOWS) -> None:
        self._most = most
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str, limit: Limit, now: float) -> Verdict:
        """Let a request into the window ``name`` at ``now`` (seconds that never go back), or refuse it."""
        with self._lock:
            times = self._times.setdefault(name, deque())
            self._times.move_to_end(name)
            if len(self._times) > self._most:
                self._times.popitem(last=False)
            while times and times[0] <= now - limit.seconds:
                times.popleft()
            allowed = len(times) < limit.requests
            if allowed:
                times.append(now)
            over = len(times) - limit.requests
            wait = times[over] + limit.seconds - now if over >= 0 else 0.0
            return Verdict(allowed, max(0, -over), math.ceil(1000 * wait))

    def __len__(self) -> int:
        return len(self._times)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._times.clear()
