"""Times on the wire: RFC 3339 in UTC, with a fraction only where there is one."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.http.encoding import when

ZONES = [UTC, timezone(timedelta(0)), timezone(timedelta(hours=9)), timezone(-timedelta(hours=3, minutes=30))]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (datetime(2026, 11, 20, 9, tzinfo=UTC), "2026-11-20T09:00:00Z"),
        (datetime(2026, 11, 20, 9, 0, 0, 120_000, tzinfo=UTC), "2026-11-20T09:00:00.120Z"),
        (datetime(2026, 11, 20, 9, 0, 0, 1, tzinfo=UTC), "2026-11-20T09:00:00.000001Z"),
        (datetime(2026, 11, 20, 9, tzinfo=ZONES[2]), "2026-11-20T00:00:00Z"),
        (datetime(199, 7, 9, tzinfo=UTC), "0199-07-09T00:00:00Z"),
    ],
)
def test_a_time_has_four_digits_of_year_and_no_more_fraction_than_it_needs(at: datetime, said: str) -> None:
    assert when(at) == said


FIRST, LAST = datetime(2, 1, 1), datetime(9998, 1, 1)  # noqa: DTZ001 - zones are drawn separately


@given(
    at=st.datetimes(FIRST, LAST, timezones=st.sampled_from(ZONES)),
    part=st.sampled_from([0, 1000, 999_000, 1, 999_999]),
)
def test_it_is_the_same_instant_when_it_is_read_again(at: datetime, part: int) -> None:
    at = at.replace(microsecond=part)

    assert datetime.fromisoformat(when(at)) == at
