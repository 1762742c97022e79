"""Gauges that are read when ``/metrics`` is requested. The foundation and other apps add them with ``register``.

Each reader is called separately, so that an unavailable server does not hide the rest. Results are cached for some
seconds.
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

TTL_SECONDS = 5.0


class Reading(NamedTuple):
    """A gauge's name, description and value, and its labels if it has any: name, value, name, value."""

    name: str
    description: str
    value: float
    labels: tuple[str, ...] = ()


Reader = Callable[[], Iterable[Reading]]
_readers: dict[str, Reader] = {}


def register(what: str, read: Reader) -> None:
    """Register a reader under a name; it replaces an earlier one."""
    _readers[what] = read


def families() -> Iterator[GaugeMetricFamily]:
    """All readings for prometheus-client; ``sunwi_readings_failed`` names the readers that failed."""
    return to_families(_cache.readings())


def to_families(readings: Iterable[Reading]) -> Iterator[GaugeMetricFamily]:
    """Group readings by name, as prometheus-client takes them."""
    by_name: dict[str, GaugeMetricFamily] = {}
    for name, description, value, labels in readings:
        family = by_name.setdefault(name, GaugeMetricFamily(name, description, labels=labels[::2]))
        family.add_metric(labels[1::2], value)
    yield from by_name.values()


class _Cache:
    """The readings of the last seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readings: list[Reading] = []
        self._read_at: float | None = None

    def readings(self) -> list[Reading]:
        with self._lock:
            if self._read_at is None or clock.monotonic() - self._read_at > TTL_SECONDS:
                self._readings, self._read_at = list(_read_all()), clock.monotonic()
            return self._readings

    def forget(self) -> None:
        self._read_at = None


_cache = _Cache()
forget = _cache.forget


def _read_all() -> Iterator[Reading]:
    for what, read in _readers.items():
        failed = 0
        try:
            yield from list(read())
        except (Unavailable, SqlError) as error:
            logger.warning("%s cannot be read for /metrics: %s", what, error)
            failed = 1
        yield Reading("sunwi_readings_failed", "1 where these readings could not be had.", failed, ("what", what))
