"""Quiet hours on clocks that skip and repeat hours."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.quiet_hours import QuietHours

ZONES = st.sampled_from(
    ["UTC", "Asia/Seoul", "America/New_York", "Pacific/Chatham", "Antarctica/Troll", "Asia/Kolkata"]
)
YEARS = (datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2030-01-01"))
MOMENTS = st.datetimes(*YEARS, timezones=st.just(UTC))
HOURS = st.integers(0, 23)
NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("zone", "hours", "at", "until"),
    [
        # By default nights are quiet.
        ("Asia/Seoul", (23, 8), "2026-11-20T22:59:59+09:00", None),
        ("Asia/Seoul", (23, 8), "2026-11-20T23:00:00+09:00", "2026-11-21T08:00:00+09:00"),
        ("Asia/Seoul", (23, 8), "2026-11-21T00:00:00+09:00", "2026-11-21T08:00:00+09:00"),
        ("Asia/Seoul", (23, 8), "2026-11-21T07:59:59+09:00", "2026-11-21T08:00:00+09:00"),
        ("Asia/Seoul", (23, 8), "2026-11-21T08:00:00+09:00", None),
        # They can lie within a day; the same hour twice is never quiet.
        ("UTC", (13, 15), "2026-11-20T14:30:00Z", "2026-11-20T15:00:00Z"),
        ("UTC", (13, 15), "2026-11-20T23:30:00Z", None),
        ("UTC", (0, 0), "2026-11-20T00:00:00Z", None),
        # A night in which the clock springs forward is an hour shorter.
        (NEW_YORK, (23, 8), "2026-03-07T23:00:00-05:00", "2026-03-08T08:00:00-04:00"),
        (NEW_YORK, (23, 8), "2026-03-08T08:00:00-04:00", None),
        # An hour that the clock repeats, from 1 to 2 o'clock, ends with its first time.
        (NEW_YORK, (23, 1), "2026-11-01T00:59:00-04:00", "2026-11-01T01:00:00-04:00"),
        (NEW_YORK, (23, 1), "2026-11-01T01:30:00-05:00", None),
        (NEW_YORK, (1, 3), "2026-11-01T01:30:00-05:00", "2026-11-01T03:00:00-05:00"),
        # The clock goes from 2 straight to 3 o'clock: quiet hours that it skips are none, nor is a gap that it skips.
        (NEW_YORK, (2, 3), "2026-03-08T03:10:00-04:00", None),
        (NEW_YORK, (3, 2), "2026-03-08T03:10:00-04:00", "2026-03-09T02:00:00-04:00"),
    ],
)
def test_quiet_hours_last_until_the_clock_on_the_wall_shows_their_end(
    zone: str, hours: tuple[int, int], at: str, until: str | None
) -> None:
    held = QuietHours(zone, *hours).until(datetime.fromisoformat(at))

    assert held == (until and datetime.fromisoformat(until))
    assert QuietHours(zone) == QuietHours(zone, 23, 8)


def test_a_day_that_a_zone_skips_ends_no_night_early() -> None:
    night = datetime(2011, 12, 29, 23, 30, tzinfo=ZoneInfo("Pacific/Apia"))  # there was no 30 December 2011

    held = QuietHours("Pacific/Apia").until(night.astimezone(UTC))

    assert held is not None
    assert held.astimezone(night.tzinfo).isoformat() in ("2011-12-31T00:00:00+14:00", "2011-12-31T08:00:00+14:00")


@given(MOMENTS, ZONES, HOURS, HOURS)
def test_quiet_hours_end_within_a_day_or_so_and_where_no_clock_jumps_the_hour_on_it_decides(
    at: datetime, zone: str, start: int, end: int
) -> None:
    until = QuietHours(zone, start, end).until(at)

    assert until is None or timedelta() < until - at <= timedelta(hours=26)
    shown = at.astimezone(ZoneInfo(zone))
    if len({(shown + timedelta(days=days)).utcoffset() for days in (-2, -1, 0, 1, 2)}) == 1:
        quiet = start <= shown.hour < end if start <= end else shown.hour >= start or shown.hour < end
        assert (until is not None) == quiet
        assert until is None or until.astimezone(ZoneInfo(zone)).hour == end
