"""A table that can be away, and a clock that only tests move."""

import pytest

from foundation import clock
from foundation.db import resilience as sql
from tests.foundation.db.away import Source


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(sql._Breaker, "silent_until", 0.0)
    return now
