"""The fast clock: days pass in seconds, alike in every process that is told so; no deployment starts with it."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from foundation import checks, clock

SHOW = "from foundation import clock; print(clock.now().timestamp(), clock.is_fast())"


def test_a_process_with_a_fast_clock_lives_by_it() -> None:
    real, shown, speed = time.time(), datetime(2030, 5, 1, tzinfo=UTC).timestamp(), 3600.0
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "FAST_CLOCK": f"{real},{shown},{speed}"}

    run = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)

    told, fast = run.stdout.split()
    assert fast == "True"
    assert shown < float(told) <= shown + (time.time() - real) * speed


@pytest.mark.parametrize("text", ["soon", "1,2", "1,2,fast"])
def test_what_is_no_clock_ends_the_process_as_it_starts(text: str) -> None:
    with pytest.raises(ValueError, match=r"convert|unpack"):
        clock._fast(text)


def test_without_one_the_time_is_the_real_one() -> None:
    before, told, after = datetime.now(UTC), clock.now(), datetime.now(UTC)

    assert before <= told <= after
    assert not clock.is_fast()


def test_no_deployment_starts_with_a_fast_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_FAST", (0.0, 0.0, 60.0))

    assert [found.id for found in checks.clocks_agree(None)] == ["sunwi.E005"]


def test_the_clock_stands_still_where_it_is_told_to_and_goes_on_afterwards() -> None:
    shown = datetime(2030, 5, 1, 12, 0, 1, tzinfo=UTC)

    with clock.stand_at(shown):
        first, fast, second = clock.now(), clock.is_fast(), clock.now()

    assert (first, fast, second) == (shown, True, shown)
    assert abs(clock.now().timestamp() - time.time()) < 5
