"""The memory of each process over time, and whether it is flat.

Resident memory from /proc (Linux). A process may grow until it is warm: its caches fill, its threads each open their
connections. From then on the median of its last quarter may be ``GROWS_AT_MOST`` above that of the quarter in which it
became warm. The boards' Redis and PostgreSQL hold what was scored, and are only printed.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

MB = 1024 * 1024
EVERY = 2.0  # seconds
WARM_AFTER = 240.0  # seconds: keys, boards and pages were read, and every thread has worked
LONG_ENOUGH = 480.0  # seconds of a life that says something about growth
GROWS_AT_MOST = 12 * MB
MOST = {"web": 260 * MB, "worker": 220 * MB, "beat": 100 * MB, "proxy": 60 * MB}  # at any moment


@dataclass(frozen=True, slots=True)
class Life:
    """What one process had, as pairs of seconds since it was first seen and bytes."""

    name: str
    pid: int
    points: list[tuple[float, int]]

    @property
    def peak(self) -> int:
        return max(size for _, size in self.points)

    @property
    def seconds(self) -> float:
        return self.points[-1][0]

    def growth(self) -> int | None:
        """From when it was warm to its end; None for a life too short to say."""
        if self.seconds < LONG_ENOUGH:
            return None
        quarter = (self.seconds - WARM_AFTER) / 4
        warm = [size for at, size in self.points if WARM_AFTER <= at <= WARM_AFTER + quarter]
        last = [size for at, size in self.points if at >= self.seconds - quarter]
        return round(median(last) - median(warm))

    def told(self) -> str:
        """Its line in the figures: ten moments of it, evenly spread."""
        step = max(1, len(self.points) // 10)
        course = " ".join(f"{size / MB:.0f}" for _, size in self.points[::step])
        growth = self.growth()
        grown = "too short to say" if growth is None else f"{growth / MB:+.1f} MB once warm"
        return f"  {self.name} {self.pid}: {self.seconds:.0f} s, {grown}; MB: {course}"


@dataclass
class Sampler:
    """Looks at the processes every two seconds, in a thread of its own."""

    watched: Mapping[str, Callable[[], Sequence[int]]]
    _lives: dict[tuple[str, int], list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    _begun: dict[tuple[str, int], float] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        threading.Thread(target=self._go_on, daemon=True).start()

    def end(self) -> None:
        self._over.set()

    def lives(self) -> list[Life]:
        return [Life(name, pid, points) for (name, pid), points in sorted(self._lives.items())]

    def too_large(self) -> list[str]:
        """Processes over what their kind may have, or that do not stop growing."""
        found = []
        for life in self.lives():
            kind, growth = life.name.partition("-")[0], life.growth()
            if kind in MOST and (life.peak > MOST[kind] or (growth or 0) > GROWS_AT_MOST):
                found.append(life.told())
        return found

    def _go_on(self) -> None:
        while not self._over.wait(EVERY):
            for name, pids in self.watched.items():
                for pid in pids():
                    self._look(name, pid)

    def _look(self, name: str, pid: int) -> None:
        with suppress(OSError, ValueError):
            size = resident(pid)
            begun = self._begun.setdefault((name, pid), time.monotonic())
            self._lives[name, pid].append((time.monotonic() - begun, size))


def resident(pid: int) -> int:
    """Bytes that the process has in memory."""
    return 4096 * int(Path(f"/proc/{pid}/statm").read_text().split()[1])
