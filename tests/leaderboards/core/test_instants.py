"""Instants and milliseconds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.instants import from_milliseconds, milliseconds


@given(st.integers(0, 253_000_000_000_000))
def test_every_millisecond_comes_back(ms: int) -> None:
    assert milliseconds(from_milliseconds(ms)) == ms


def test_an_offset_is_taken_into_account_and_parts_of_a_millisecond_are_dropped_downwards() -> None:
    nine_hours_east = timezone(timedelta(hours=9))

    assert milliseconds(datetime(1970, 1, 1, 9, 0, 0, 1000, tzinfo=nine_hours_east)) == 1
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 1, 999_999, tzinfo=UTC)) == 1999
    assert milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1


def test_a_time_without_a_zone_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError):
        milliseconds(datetime(2026, 1, 1))  # noqa: DTZ001 (a naive time is what is refused)
