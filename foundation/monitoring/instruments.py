"""Counters, histograms and gauges with a bounded number of labels; an update takes some microseconds.

They count in memory, and in files of METRICS_FOLDER once the process serves (``metric_files.serve``).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from foundation.monitoring import counts
from foundation.monitoring.count_files import Key
from foundation.monitoring.counts import Number, number_of
from foundation.monitoring.families import BOUND, BUCKET, GAUGE, to_families

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

OTHER = "other"
MOST = 300  # different label values of one counter, in each process
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
LONG = (0.01, 0.05, 0.25, 1.0, 5.0, 20.0, 60.0, 300.0, 1800.0)  # seconds of background work

_declared: list[tuple[str, str, str]] = []  # kind, name and description of each family


class LabelledCounter:
    """A counter with labels. Beyond ``most`` different label values, further ones are counted as ``other``."""

    def __init__(self, name: str, description: str, labels: Sequence[str], most: int = MOST) -> None:
        self._name, self._description, self._labels = name, description, tuple(labels)
        self._children: dict[tuple[str, ...], Number] = {}
        self._most, self._other = most, (OTHER,) * len(labels)
        _declared.append(("counter", name.removesuffix("_total"), description))

    def add(self, *labels: str, count: int = 1) -> None:
        """Increase the counter of these label values by ``count``."""
        (self._children.get(labels) or self._child(labels)).add(count)

    def start(self, *labels: str) -> None:
        """Let these label values be told from now on, as 0: what is first told with an event hides that event."""
        if labels not in self._children:
            self._child(labels)

    def _child(self, labels: tuple[str, ...]) -> Number:
        used = labels if len(self._children) < self._most else self._other
        if used not in self._children:
            named = tuple(zip(self._labels, used, strict=True))
            key = Key(self._name.removesuffix("_total"), self._name, named, self._description)
            self._children.setdefault(used, number_of("counter", key))
        return self._children[used]


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
        self._name, self._description, self._labels = name, description, tuple(labels)
        self._bounds = tuple(map(float, bounds))
        self._children: dict[tuple[str, ...], _Buckets] = {}
        self._most, self._other = most, (OTHER,) * len(labels)
        _declared.append(("histogram", name, description))
        if not labels:
            self._child(())

    def add(self, size: float, *labels: str) -> None:
        """Observe a value."""
        (self._children.get(labels) or self._child(labels)).observe(size)

    def start(self, *labels: str) -> bool:
        """Let these label values be told from now on, as 0; whether they were not yet, and are not ``other``."""
        if labels in self._children:
            return False
        self._child(labels)
        return labels in self._children

    def _child(self, labels: tuple[str, ...]) -> "_Buckets":
        used = labels if len(self._children) < self._most else self._other
        if used not in self._children:
            named = tuple(zip(self._labels, used, strict=True))
            self._children.setdefault(used, _Buckets(self._name, self._description, named, self._bounds))
        return self._children[used]


class _Buckets:
    """The numbers of one histogram: its sum, and how many values fell into each bucket alone."""

    def __init__(
        self, name: str, description: str, labels: tuple[tuple[str, str], ...], bounds: tuple[float, ...]
    ) -> None:
        self._bounds = bounds
        self._sum = number_of("histogram", Key(name, f"{name}_sum", labels, description))
        told = [*map(str, bounds), "+Inf"]
        keys = [Key(name, name + BUCKET, (*labels, (BOUND, bound)), description) for bound in told]
        self._numbers = [number_of("histogram", key) for key in keys]

    def observe(self, size: float) -> None:
        self._sum.add(size)
        self._numbers[bisect_left(self._bounds, size)].add(1)


class LatestMoment:
    """A gauge with a time (seconds since 1970): the latest one of all processes.

    A state that lasts until a time also ends when the process that set it has died.
    """

    def __init__(self, name: str, description: str) -> None:
        _declared.append(("gauge", name, description))
        self._number = number_of(GAUGE, Key(name, name, (), description))

    def note(self, moment: float) -> None:
        """Set this process's time; 0 ends the state."""
        self._number.set(moment)


def own_families() -> Iterator["Metric"]:
    """What this process has counted; families of which nothing was counted too, without samples."""
    from prometheus_client.metrics_core import Metric  # only who tells numbers needs the library

    told = {family.name: family for family in to_families(counts.own())}
    for kind, name, description in _declared:
        yield told.get(name) or Metric(name, description, kind)
