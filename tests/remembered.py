"""Reading an address until this process asks SQL for nothing, and changing what it remembers in another process."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic
from typing import Any, Protocol
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.db import resilience
from foundation.db.resilience import StaleIfErrorCache
from foundation.redis.connection import RedisConnection


class Reader(Protocol):
    """Whoever can ask for an address."""

    def get(self, path: str, /) -> Any: ...


def read_until_remembered(reader: Reader, path: str, times: int) -> None:
    """Read ``path`` so often; the read after that is answered without SQL."""
    for _ in range(times):
        reader.get(path)
    with CaptureQueriesContext(connection) as asked:
        assert reader.get(path).status_code == 200
    assert list(asked) == []


def count_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answers each round trip to Redis brings, from now on."""
    exchange, found = RedisConnection.exchange, list[int]()

    def counted(wire: RedisConnection, packed: bytes, answers: int) -> list[Any]:
        found.append(answers)
        return exchange(wire, packed, answers)

    monkeypatch.setattr(RedisConnection, "exchange", counted)
    return found


def take_sql_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on whatever is asked of SQL through ``ask`` gets no answer.

    Time passes as for Redis, which notes when a row was changed, and a millisecond more at each look.
    """
    ahead, ticks = clock.monotonic() - monotonic(), count(1)
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + ahead + next(ticks) / 1000)
    monkeypatch.setattr(resilience._Breaker, "silent_until", math.inf)


@contextmanager
def elsewhere() -> Iterator[None]:
    """What is done here is done in another process: what this one remembers stays."""
    with patch.object(StaleIfErrorCache, "forget", lambda _: None):
        yield
