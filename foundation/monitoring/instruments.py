"""Prometheus counters, histograms and gauges with a bounded number of labels; an update takes some microseconds.

prometheus-client stores the numbers in memory, or, where METRICS_FOLDER is set, in files of each process. It decides
that on import, so ``metric_files`` comes first.
"""

from collections.abc import Sequence

from foundation.monitoring import metric_files
from foundation.sunwi_settings import sunwi_settings

metric_files.refuse_early_use()
metric_files.open_folder(sunwi_settings.METRICS_FOLDER)  # whether the apps are loaded or not

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram  # noqa: E402 - the folder must be open

OTHER = "other"
MOST = 300  # different label values of one counter, in each process
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
LONG = (0.01, 0.05, 0.25, 1.0, 5.0, 20.0, 60.0, 300.0, 1800.0)  # seconds of background work

registry = CollectorRegistry()


class LabelledCounter:
    """A counter with labels. Beyond ``most`` different label values, further ones are counted as ``other``."""

    def __init__(self, name: str, description: str, labels: Sequence[str], most: int = MOST) -> None:
        self._counter = Counter(name, description, labels, registry=registry)
        self._children: dict[tuple[str, ...], Counter] = {}
        self._most, self._other = most, (OTHER,) * len(labels)

    def add(self, *labels: str, count: int = 1) -> None:
        """Increase the counter of these label values by ``count``."""
        child = self._children.get(labels)
        if child is None:
            child = self._child(labels)
        child.inc(count)

    def _child(self, labels: tuple[str, ...]) -> Counter:
        used = labels if len(self._children) < self._most else self._other
        return self._children.setdefault(used, self._counter.labels(*used))


class LabelledHistogram:
    """A histogram with the upper ``bounds`` of its buckets. Labels as for ``LabelledCounter``."""

    def __init__(
        self,
        name: str,
        description: str,
        labels: Sequence[str] = (),
        bounds: Sequence[float] = SECONDS,
        most: int = MOST,
    ) -> None:
        self._histogram = Histogram(name, description, labels, buckets=bounds, registry=registry)
        self._children: dict[tuple[str, ...], Histogram] = {} if labels else {(): self._histogram}
        self._most, self._other = most, (OTHER,) * len(labels)

    def add(self, size: float, *labels: str) -> None:
        """Observe a value."""
        child = self._children.get(labels)
        if child is None:
            child = self._child(labels)
        child.observe(size)

    def _child(self, labels: tuple[str, ...]) -> Histogram:
        used = labels if len(self._children) < self._most else self._other
        return self._children.setdefault(used, self._histogram.labels(*used))


class LatestMoment:
    """A gauge with a time (seconds since 1970): the latest one of all processes.

    A state that lasts until a time also ends when the process that set it has died.
    """

    def __init__(self, name: str, description: str) -> None:
        self._gauge = Gauge(name, description, multiprocess_mode="max", registry=registry)

    def note(self, moment: float) -> None:
        """Set this process's time; 0 ends the state."""
        self._gauge.set(moment)
