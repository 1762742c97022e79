"""A table that can be away, and a clock that only tests move."""

import pytest

from foundation.db import resilience as sql
from tests.foundation.db.away import Source


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def time(stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    monkeypatch.setattr(sql._Breaker, "silent_until", 0.0)
    return stopped_clock
