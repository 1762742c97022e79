"""Every request of a run: what it asked, when, and what was wrong with its answer; and the windows in which it may be.

A request has failed if no answer came, if the answer is 5xx, 429 or another status than its kind expects, or if an
entry of it is `unavailable` or `unknown`. A window says which kinds may fail while a fault lasts.
"""

import threading
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, in monotonic seconds; ``problem`` is empty if all went well."""

    kind: str
    began: float
    ended: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """From a fault's beginning until all is well again, with a margin; these kinds of requests may fail in it."""

    fault: str
    began: float
    ended: float
    kinds: frozenset[str]

    def excuses(self, asked: Asked) -> bool:
        return asked.kind in self.kinds and self.began <= asked.ended and asked.began <= self.ended


@dataclass
class Record:
    """Written by many threads at once."""

    windows: list[Window] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    resent: int = 0  # on a kept connection that the proxy had closed: as HTTP clients do
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, asked: Asked) -> None:
        with self._lock:
            self.requests.append(asked)

    def add_resent(self) -> None:
        with self._lock:
            self.resent += 1

    def failed(self) -> list[Asked]:
        return [each for each in self.requests if each.problem]

    def failed_outside(self) -> list[Asked]:
        """Those that no window excuses."""
        return [each for each in self.failed() if not any(window.excuses(each) for window in self.windows)]

    def answered_since(self, moment: float, kinds: Collection[str]) -> bool:
        """Whether each of these kinds has had a good answer to what was asked later than that."""
        return {*kinds} <= {each.kind for each in self.requests[-2000:] if not each.problem and each.began > moment}

    def figures(self, began: float) -> list[str]:
        """What to print of it: how many, how fast, what failed in which window."""
        seconds = time.monotonic() - began
        told = [f"{len(self.requests)} requests in {seconds:.0f} s, {self.resent} resent on another connection"]
        for kind, many in sorted(Counter(each.kind for each in self.requests).items()):
            took = [1000 * (each.ended - each.began) for each in self.requests if each.kind == kind]
            cuts = quantiles(took, n=100) if len(took) > 1 else took * 99
            failed = sum(bool(each.problem) for each in self.requests if each.kind == kind)
            told.append(f"  {kind}: {many}, p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms, failed in a window {failed}")
        return told + self._told_of_windows()

    def _told_of_windows(self) -> list[str]:
        told = []
        for name in sorted({window.fault for window in self.windows}):
            of_it = [window for window in self.windows if window.fault == name]
            failed = sum(any(window.excuses(each) for window in of_it) for each in self.failed())
            longest = max(window.ended - window.began for window in of_it)
            told.append(f"  {name}: {len(of_it)} times, longest window {longest:.1f} s, {failed} requests failed in it")
        return told
