"""The links as a fresh process has them, and a clock that stands where a test puts it."""

from collections.abc import Callable
from datetime import datetime

import pytest

from foundation import clock
from tests.links import links

__all__ = ["links", "set_clock"]

SetClock = Callable[[datetime], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """From now on it is this moment."""

    def put(at: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: at)

    return put
