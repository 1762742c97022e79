"""Limits: how many requests in how many seconds, windows that a process keeps by itself while Redis is away, and
places in Redis's windows that it has taken ahead.

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

    @property
    def max_reserved(self) -> int:
        """How many places a process may take at once: a thousandth, so small limits are counted one by one."""
        return max(1, self.requests // 1000)

    @property
    def reserved_seconds(self) -> float:
        """For how long places that were taken ahead are good: a hundredth of the window."""
        return self.seconds / 100 if self.max_reserved > 1 else 0.0


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


class LocalWindows:
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


@dataclass(slots=True)
class _Handful:
    """Places that were taken together: how many, how many are left, and until when they are good."""

    taken: int
    left: int
    good_until: float


class ReservedQuota:
    """Places that this process took ahead in windows that many share, at most ``most`` windows of them.

    A handful is twice the last one if that was used up in time, else one place: who comes now and then takes no more
    than they use.
    """

    def __init__(self, most: int = MOST_WINDOWS) -> None:
        self._most = most
        self._handfuls: dict[str, _Handful] = {}
        self._lock = threading.Lock()

    def use(self, name: str, limit: Limit, now: float) -> int:
        """0 if a place was there, and is used; else how many to take at once, of which the first is to be used."""
        with self._lock:
            handful = self._handfuls.get(name)
            if handful is None or now >= handful.good_until:
                return 1
            if handful.left:
                handful.left -= 1
                return 0
            wanted = max(1, min(2 * handful.taken, limit.max_reserved))
            handful.taken = 0  # those who ask before it is here take one place each
            return wanted

    def keep(self, name: str, limit: Limit, taken: int, now: float) -> None:
        """Keep what is left of a handful that was asked for at ``now``, and of which one place is used."""
        if limit.max_reserved == 1:
            return
        with self._lock:
            handful = self._handfuls.get(name)
            if handful and handful.left and now < handful.good_until:
                return
            if len(self._handfuls) >= self._most:
                self._handfuls.clear()
            self._handfuls[name] = _Handful(taken, taken - 1, now + limit.reserved_seconds)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._handfuls.clear()
