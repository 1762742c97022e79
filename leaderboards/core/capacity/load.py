"""What is asked for: how many players, and what they do; each number within its bounds."""

import math
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation

from leaderboards.core.capacity.figures import BadCapacity
from leaderboards.core.partitions import PARTITION_COUNTS
from leaderboards.core.ranking.rules import Encoding

STORAGES = ("hybrid", "redis")  # an sql board counts rows for a rank: no figure holds for many players
ENCODINGS = tuple(map(str, Encoding))


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number of the load must be."""

    least: float
    most: float
    is_whole: bool = False


BOUNDS = {
    "players": Bound(1, 10**11, is_whole=True),
    "updates_per_day": Bound(0, 10_000),
    "reads_per_day": Bound(0, 100_000),
    "boards": Bound(1, 10_000, is_whole=True),
    "period_days": Bound(0.01, 3650),
    "retention_days": Bound(0, 36_525),
    "keep_submissions_days": Bound(2, 36_525),
    "batch": Bound(1, 1000, is_whole=True),
    "peak": Bound(1, 1000),
    "load": Bound(0.01, 1),
    "replicas": Bound(0, 5, is_whole=True),
    "node_memory_gb": Bound(0.1, 100_000),
    "partitions": Bound(1, max(PARTITION_COUNTS), is_whole=True),
}


@dataclass(frozen=True, slots=True)
class Load:
    """How many players a day, and what they do.

    ``players`` score on each of ``boards`` boards, ``updates_per_day`` times a day in all, and read ``reads_per_day``
    rows of their own. Periods last ``period_days``. ``batch`` scores come in one request. At the ``peak`` hour there is
    so many times the mean. Cores and Redis servers are busy up to ``load`` (0 to 1) of the time then. ``partitions``
    and ``encoding`` are those of each board's settings.
    """

    players: int
    updates_per_day: float = 10
    reads_per_day: float = 20
    boards: int = 1
    period_days: float = 7
    retention_days: float = 30
    keep_submissions_days: float = 90
    batch: int = 1
    peak: float = 3
    load: float = 0.5
    replicas: int = 1
    node_memory_gb: float = 64
    partitions: int = 1
    storage: str = "hybrid"
    encoding: str = Encoding.PLAIN

    def __post_init__(self) -> None:
        """Raises ``BadCapacity`` for a number that is out of its bounds."""
        if self.storage not in STORAGES:
            raise BadCapacity(f"The storage is one of {', '.join(STORAGES)}, not {self.storage!r}.")
        if self.encoding not in ENCODINGS:
            raise BadCapacity(f"The encoding is one of {', '.join(ENCODINGS)}, not {self.encoding!r}.")
        if self.encoding == Encoding.COMPACT and self.storage != "hybrid":
            raise BadCapacity("Only hybrid boards can be compact: leave out --encoding, or --storage.")
        for each in fields(self):
            if each.name in BOUNDS:
                _check(each.name, getattr(self, each.name))
        if self.partitions not in PARTITION_COUNTS:
            counts = ", ".join(map(str, PARTITION_COUNTS))
            raise BadCapacity(f"--partitions must be one of {counts}, not {self.partitions}.")

    @property
    def periods_in_redis(self) -> int:
        """How many periods of a board are in Redis: the running one, and final ones until their retention is over."""
        return 1 + math.ceil(self.retention_days / self.period_days)


def read_number(name: str, text: str) -> int | float:
    """Return a number of the load, such as 500e6 or 500_000_000. Raises ``BadCapacity`` that says what it must be."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise BadCapacity(f"{_option(name)}: {text!r} is no number; write 500e6, 500000000 or 2.5.") from None
    if not value.is_finite():
        raise BadCapacity(f"{_option(name)}: {text!r} is no finite number.")
    if BOUNDS[name].is_whole and value == value.to_integral_value():
        _check(name, float(value))
        return int(value)
    _check(name, float(value))
    return float(value)


def _check(name: str, value: float) -> None:
    bound = BOUNDS[name]
    if not bound.least <= value <= bound.most:  # first: infinity is no whole number either
        raise BadCapacity(f"{_option(name)} must be from {bound.least:g} to {bound.most:g}, not {value:g}.")
    if bound.is_whole and value != int(value):
        raise BadCapacity(f"{_option(name)} must be a whole number, not {value:g}.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
