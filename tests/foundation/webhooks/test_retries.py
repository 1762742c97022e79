"""When a message is tried again."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from foundation.webhooks.retries import delay


def waits(luck: float) -> list[timedelta | None]:
    return [delay(tries, luck) for tries in range(1, 11)]


def test_ten_tries_take_about_75_hours() -> None:
    found = [wait and wait.total_seconds() for wait in waits(luck=0)]

    assert found == [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, None]


@given(st.floats(min_value=0, max_value=1))
def test_luck_makes_each_wait_up_to_a_tenth_longer(luck: float) -> None:
    for plain, lucky in zip(waits(luck=0), waits(luck), strict=True):
        assert (lucky is None) if plain is None else (lucky is not None and plain <= lucky <= plain * 1.1)
