"""A clock that stands still in the first minute of a window."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine

from foundation import clock
from tests.leaderboards.services.site import NOON


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(clock, "_compare_with_sql", lambda: (clock.now(), timedelta()))  # SQL's clock goes with ours
    with time_machine.travel(NOON + timedelta(minutes=1), tick=False):
        yield
