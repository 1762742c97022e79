"""When a message is tried again."""

from datetime import timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from foundation.webhooks.retries import delay


def waits(luck: float) -> list[timedelta]:
    found: list[timedelta] = []
    for tries in count(1):
        wait = delay(tries, luck)
        if wait is None:
            return found
        found.append(wait)
    raise AssertionError


def test_ten_tries_take_about_75_hours() -> None:
    found = waits(luck=0)

    assert [wait.total_seconds() for wait in found] == [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert sum(found, timedelta()) == timedelta(hours=75, minutes=35, seconds=5)


@given(st.floats(min_value=0, max_value=1))
def test_luck_makes_each_wait_up_to_a_tenth_longer(luck: float) -> None:
    for plain, lucky in zip(waits(luck=0), waits(luck), strict=True):
        assert plain <= lucky <= plain * 1.1
