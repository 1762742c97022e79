"""Counting what happens, at the price of some microseconds: counters and times with labels, of which there is a bound.

prometheus-client keeps the numbers: in this process's memory, or where PROMETHEUS_MULTIPROC_DIR names a folder
(``config/components/metrics.py``) in one file for each process. The trap: it looks for that folder once, when it is
imported.
"""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

OTHER = "other"
MOST = 300  # different labels of one counter, in each process
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
LONG = (0.01, 0.05, 0.25, 1.0, 5.0, 20.0, 60.0, 300.0, 1800.0)  # of what runs in the background

registry = CollectorRegistry()


class LabelledCounter:
    """A counter. Beyond ``most`` different labels, what comes is counted as ``other``."""

    def __init__(self, name: str, told: str, labels: Sequence[str], most: int = MOST) -> None:
        self._counter = Counter(name, told, labels, registry=registry)
        self._children: dict[tuple[str, ...], Counter] = {}
        self._most, self._other = most, (OTHER,) * len(labels)

    def add(self, *labels: str, count: int = 1) -> None:
        """Count so many more."""
        child = self._children.get(labels)
        if child is None:
            child = self._child(labels)
        child.inc(count)

    def _child(self, labels: tuple[str, ...]) -> Counter:
        kept = labels if len(self._children) < self._most else self._other
        return self._children.setdefault(kept, self._counter.labels(*kept))


class LabelledHistogram:
    """A histogram: how many were at most as large as each of ``bounds``. Labels as of ``LabelledCounter``."""

    def __init__(
        self, name: str, told: str, labels: Sequence[str] = (), bounds: Sequence[float] = SECONDS, most: int = MOST
    ) -> None:
        self._histogram = Histogram(name, told, labels, buckets=bounds, registry=registry)
        self._children: dict[tuple[str, ...], Histogram] = {} if labels else {(): self._histogram}
        self._most, self._other = most, (OTHER,) * len(labels)

    def add(self, size: float, *labels: str) -> None:
        """Count one of that size."""
        child = self._children.get(labels)
        if child is None:
            child = self._child(labels)
        child.observe(size)

    def _child(self, labels: tuple[str, ...]) -> Histogram:
        kept = labels if len(self._children) < self._most else self._other
        return self._children.setdefault(kept, self._histogram.labels(*kept))


class LatestMoment:
    """A moment (seconds since 1970), the latest that a process noted: it passes also where that process ended."""

    def __init__(self, name: str, told: str) -> None:
        self._gauge = Gauge(name, told, multiprocess_mode="max", registry=registry)

    def note(self, moment: float) -> None:
        """It lasts until ``moment``; 0 ends it."""
        self._gauge.set(moment)
