"""Quiet hours on clocks that skip and repeat hours."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from competitions.core.quiet_hours import QuietHours

ZONES = st.sampled_from(
    ["UTC", "Asia/Seoul", "America/New_York", "Pacific/Chatham", "Antarctica/Troll", "Asia/Kolkata"]
)
YEARS = (datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2030-01-01"))
MOMENTS = st.datetimes(*YEARS, timezones=st.just(UTC))
HOURS = st.integers(0, 23)


def local(zone: str, text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


@pytest.mark.parametrize(
    ("at", "until"),
    [
        ("2026-11-20T22:59:59", None),
        ("2026-11-20T23:00:00", "2026-11-21T08:00:00"),
        ("2026-11-21T00:00:00", "2026-11-21T08:00:00"),
        ("2026-11-21T07:59:59", "2026-11-21T08:00:00"),
        ("2026-11-21T08:00:00", None),
        ("2026-11-21T12:00:00", None),
    ],
)
def test_by_default_nights_are_quiet_from_23_to_8(at: str, until: str | None) -> None:
    held = QuietHours("Asia/Seoul").until(local("Asia/Seoul", at))

    assert held == (until and local("Asia/Seoul", until))


def test_quiet_hours_can_lie_within_a_day() -> None:
    hours = QuietHours("UTC", 13, 15)

    assert hours.until(local("UTC", "2026-11-20T14:30:00")) == local("UTC", "2026-11-20T15:00:00")
    assert hours.until(local("UTC", "2026-11-20T23:30:00")) is None


def test_the_same_hour_twice_is_never_quiet() -> None:
    assert QuietHours("UTC", 0, 0).until(local("UTC", "2026-11-20T00:00:00")) is None


def test_a_night_in_which_the_clock_springs_forward_is_an_hour_shorter() -> None:
    zone = "America/New_York"
    start, end = local(zone, "2026-03-07T23:00:00"), local(zone, "2026-03-08T08:00:00")

    assert end - start == timedelta(hours=8)
    assert QuietHours(zone).until(start) == end
    assert QuietHours(zone).until(end) is None


def test_an_hour_that_the_clock_repeats_ends_with_its_first_time() -> None:
    zone = "America/New_York"  # on 1 November 2026 from 1 to 2 o'clock twice
    first_one, second_one = datetime(2026, 11, 1, 5, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC)

    assert QuietHours(zone, 23, 1).until(first_one - timedelta(minutes=1)) == first_one
    assert QuietHours(zone, 23, 1).until(second_one + timedelta(minutes=30)) is None
    assert QuietHours(zone, 1, 3).until(second_one + timedelta(minutes=30)) == local(zone, "2026-11-01T03:00:00")


def test_quiet_hours_that_the_clock_skips_are_none_and_a_gap_that_it_skips_is_no_gap() -> None:
    zone = "America/New_York"  # on 8 March 2026 from 2 straight to 3 o'clock
    skip = datetime(2026, 3, 8, 7, tzinfo=UTC)

    assert QuietHours(zone, 2, 3).until(skip + timedelta(minutes=10)) is None
    assert QuietHours(zone, 3, 2).until(skip + timedelta(minutes=10)) == local(zone, "2026-03-09T02:00:00")


def test_a_day_that_a_zone_skips_ends_no_night_early() -> None:
    zone = "Pacific/Apia"  # there was no 30 December 2011
    night = local(zone, "2011-12-29T23:30:00")

    assert QuietHours(zone).until(night) in (local(zone, "2011-12-31T00:00:00"), local(zone, "2011-12-31T08:00:00"))


@given(MOMENTS, ZONES, HOURS, HOURS)
def test_where_no_clock_jumps_the_hour_on_it_decides(at: datetime, zone: str, start: int, end: int) -> None:
    shown = at.astimezone(ZoneInfo(zone))
    assume(start != end)
    assume(len({(shown + timedelta(days=days)).utcoffset() for days in (-2, -1, 0, 1, 2)}) == 1)

    until = QuietHours(zone, start, end).until(at)

    quiet = start <= shown.hour < end if start < end else shown.hour >= start or shown.hour < end
    assert (until is not None) == quiet
    if until is not None:
        assert until.astimezone(ZoneInfo(zone)).hour == end


@given(MOMENTS, ZONES, HOURS, HOURS)
def test_quiet_hours_end_within_a_day_or_so(at: datetime, zone: str, start: int, end: int) -> None:
    until = QuietHours(zone, start, end).until(at)

    assert until is None or timedelta() < until - at <= timedelta(hours=26)
