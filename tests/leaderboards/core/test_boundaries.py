"""Boundaries of windows: they tile time in every zone, through every change of its clock."""

from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given

from leaderboards.core.periods import Calendar, PeriodKind, Window, next_window, previous_window, window_at, window_of
from leaderboards.errors import BadLabel
from tests.leaderboards.core.samples import CUTOFFS, ODD_ZONES, calendars, instants, utc

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Years in which zones of the list changed their standard offset, skipped a day, or changed the clock four times.
ODD_YEARS = (2010, 2011, 2015, 2018, 2019, 2024)


@cache
def clock_changes(zone: str, year: int) -> list[datetime]:
    """The hours in which the zone's offset changes: every hour is looked at of each day that begins and ends unlike."""

    def changes(at: datetime, span: timedelta) -> bool:
        return at.astimezone(ZoneInfo(zone)).utcoffset() != (at + span).astimezone(ZoneInfo(zone)).utcoffset()

    days = [utc(year, 1, 1) + nth * DAY for nth in range(366)]
    return [
        day + nth * HOUR for day in days if changes(day, DAY) for nth in range(24) if changes(day + nth * HOUR, HOUR)
    ]


def span(window: Window) -> tuple[datetime, datetime]:
    assert window.starts_at is not None
    assert window.ends_at is not None
    return window.starts_at, window.ends_at


@given(calendars, instants)
@example(Calendar(PeriodKind.DAY, "Pacific/Apia"), utc(2011, 12, 30, 10))
@example(Calendar(PeriodKind.DAY, "Pacific/Apia", cutoff=time(2, 30)), utc(2011, 12, 30, 10))
@example(Calendar(PeriodKind.DAY, "Africa/Monrovia"), utc(1972, 1, 7, 0, 44))
def test_every_instant_lies_in_one_window_and_neighbours_touch(calendar: Calendar, at: datetime) -> None:
    window = window_at(calendar, at)
    following, earlier = next_window(calendar, window), previous_window(calendar, window)
    starts_at, ends_at = span(window)

    assert starts_at <= at < ends_at
    assert following.starts_at == ends_at
    assert earlier.ends_at == starts_at
    assert previous_window(calendar, following) == window == next_window(calendar, earlier)
    assert window_of(calendar, window.label) == window
    assert window_at(calendar, starts_at) == window
    assert window_at(calendar, ends_at) == following
    assert window_at(calendar, ends_at - timedelta(microseconds=1)) == window


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("zone", ODD_ZONES)
def test_around_each_change_days_begin_when_the_clock_first_reaches_the_cutoff(zone: str, cutoff: time) -> None:
    calendar, tz = Calendar(PeriodKind.DAY, zone, cutoff=cutoff), ZoneInfo(zone)
    for change in [at for year in ODD_YEARS for at in clock_changes(zone, year)]:
        windows = [window_at(calendar, change - 30 * HOUR)]
        while span(windows[-1])[1] < change + 30 * HOUR:
            windows.append(next_window(calendar, windows[-1]))

        assert all(one.ends_at == other.starts_at for one, other in pairwise(windows))
        for window in windows:
            starts_at, ends_at = span(window)
            due = datetime.combine(date.fromisoformat(window.label), cutoff)
            reached = starts_at.astimezone(tz).replace(tzinfo=None)
            before = (starts_at - timedelta(seconds=1)).astimezone(tz).replace(tzinfo=None)
            assert window_at(calendar, starts_at) == window == window_at(calendar, ends_at - timedelta(seconds=1))
            assert reached >= due
            assert before < due or before >= due + 23 * HOUR


@pytest.mark.parametrize(
    ("zone", "cutoff", "label", "starts_at"),
    [
        # 01:59:59 EST is followed by 03:00:00 EDT: a skipped cut-off moves to the first instant that exists
        ("America/New_York", time(2, 30), "2026-03-08", utc(2026, 3, 8, 7)),
        ("America/New_York", time(2, 30), "2026-03-09", utc(2026, 3, 9, 6, 30)),
        # a repeated one counts the first time
        ("America/New_York", time(1, 30), "2026-11-01", utc(2026, 11, 1, 5, 30)),
        # and a clock that falls back across midnight does not fall back into yesterday
        ("America/Havana", time(0), "2026-11-01", utc(2026, 11, 1, 4)),
    ],
)
def test_a_cutoff_that_is_skipped_or_repeated_is_one_instant(
    zone: str, cutoff: time, label: str, starts_at: datetime
) -> None:
    calendar = Calendar(PeriodKind.DAY, zone, cutoff=cutoff)

    window = window_of(calendar, label)

    assert window.starts_at == starts_at
    assert window_at(calendar, starts_at + HOUR - timedelta(minutes=20)) == window  # the clock may show less by now
    assert window_at(calendar, starts_at - timedelta(seconds=1)) != window


def test_a_day_that_never_was_has_no_window_and_its_week_is_a_day_shorter() -> None:
    calendar = Calendar(PeriodKind.DAY, "Pacific/Apia")
    before = window_of(calendar, "2011-12-29")
    starts_at, ends_at = span(window_of(Calendar(PeriodKind.WEEK, "Pacific/Apia"), "2011-52"))

    with pytest.raises(BadLabel):
        window_of(calendar, "2011-12-30")

    assert next_window(calendar, before).label == "2011-12-31"
    assert previous_window(calendar, window_of(calendar, "2011-12-31")) == before
    assert before.ends_at == utc(2011, 12, 30, 10)
    assert window_at(calendar, utc(2011, 12, 30, 10)).label == "2011-12-31"
    assert ends_at - starts_at == 6 * DAY
