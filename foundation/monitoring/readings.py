"""What is read when somebody asks for it: the foundation's own, and what apps add with ``register``.

Each of them is asked by itself, so that a server that is away hides nothing of the other. What was read is told again
for some seconds, however many ask.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from django.db import Error as SqlError
from prometheus_client.core import GaugeMetricFamily

from foundation import clock
from foundation.errors import Unavailable

logger = logging.getLogger(__name__)

TOLD_AGAIN_SECONDS = 5.0


class Reading(NamedTuple):
    """A number, its name, what it tells, and its label's name and value if it has one."""

    name: str
    told: str
    value: float
    label: tuple[str, str] | tuple[()] = ()


Read = Callable[[], Iterable[Reading]]
_reads: dict[str, Read] = {}


def register(what: str, read: Read) -> None:
    """Have ``read`` asked too. Asking twice changes nothing."""
    _reads[what] = read


def families() -> Iterator[GaugeMetricFamily]:
    """All readings as prometheus-client prints them; what cannot be read is named instead."""
    found: dict[str, GaugeMetricFamily] = {}
    for name, told, value, label in _kept.readings():
        family = found.setdefault(name, GaugeMetricFamily(name, told, labels=label[:1]))
        family.add_metric(label[1:], value)
    yield from found.values()


class _Kept:
    """The readings of the last seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: list[Reading] = []
        self._read_at: float | None = None

    def readings(self) -> list[Reading]:
        with self._lock:
            if self._read_at is None or clock.monotonic() - self._read_at > TOLD_AGAIN_SECONDS:
                self._found, self._read_at = list(_read()), clock.monotonic()
            return self._found

    def forget(self) -> None:
        self._read_at = None


_kept = _Kept()
forget = _kept.forget


def _read() -> Iterator[Reading]:
    for what, read in _reads.items():
        failed = 0
        try:
            yield from list(read())
        except (Unavailable, SqlError) as error:
            logger.warning("%s cannot be read for /metrics: %s", what, error)
            failed = 1
        yield Reading("sunwi_not_read", "1 where these readings could not be had.", failed, ("what", what))
