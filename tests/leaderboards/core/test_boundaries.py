"""Boundaries of windows: they tile time in every zone, through every change of its clock."""

from datetime import date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given

from leaderboards.core.periods import (
    Calendar,
    PeriodKind,
    next_window,
    previous_window,
    window_at,
    window_of,
)
from leaderboards.errors import BadLabel
from tests.leaderboards.core.samples import CUTOFFS, ODD_ZONES, calendars, in_zone, instants, utc


def transitions(zone: str, year: int) -> list[datetime]:
    """The hours of a year in which the zone's offset changes, by looking at every one."""
    at, hours = utc(year, 1, 1), []
    while at.year == year:
        following = at + timedelta(hours=1)
        if at.astimezone(ZoneInfo(zone)).utcoffset() != following.astimezone(ZoneInfo(zone)).utcoffset():
            hours.append(at)
        at = following
    return hours


class TestTiling:
    @given(calendars, instants)
    @example(Calendar(PeriodKind.DAY, "Pacific/Apia"), utc(2011, 12, 30, 10))
    @example(Calendar(PeriodKind.DAY, "Pacific/Apia", cutoff=time(2, 30)), utc(2011, 12, 30, 10))
    @example(Calendar(PeriodKind.DAY, "Africa/Monrovia"), utc(1972, 1, 7, 0, 44))
    def test_every_instant_lies_in_one_window_and_neighbours_touch(self, calendar: Calendar, at: datetime) -> None:
        window = window_at(calendar, at)
        following, earlier = next_window(calendar, window), previous_window(calendar, window)
        assert window.starts_at is not None
        assert window.ends_at is not None

        assert window.starts_at <= at < window.ends_at
        assert following.starts_at == window.ends_at
        assert earlier.ends_at == window.starts_at
        assert previous_window(calendar, following) == window == next_window(calendar, earlier)
        assert window_of(calendar, window.label) == window
        assert window_at(calendar, window.starts_at) == window
        assert window_at(calendar, window.ends_at) == following
        assert window_at(calendar, window.ends_at - timedelta(microseconds=1)) == window

    @pytest.mark.parametrize("cutoff", CUTOFFS)
    @pytest.mark.parametrize("zone", ODD_ZONES)
    def test_days_tile_a_decade_with_every_clock_change_in_it(self, zone: str, cutoff: time) -> None:
        calendar = Calendar(PeriodKind.DAY, zone, cutoff=cutoff)
        windows = [window_at(calendar, utc(2009, 12, 31))]
        while windows[-1].label < "2020-01-01":
            windows.append(next_window(calendar, windows[-1]))

        starts = [each.starts_at for each in windows if each.starts_at is not None]
        lengths = [following - start for start, following in pairwise(starts)]

        assert all(one.ends_at == other.starts_at for one, other in pairwise(windows))
        assert all(one.label < other.label for one, other in pairwise(windows))
        assert min(lengths) > timedelta(0)
        assert max(lengths) <= timedelta(hours=27)  # Casey put its clock back by three

    @pytest.mark.parametrize("cutoff", CUTOFFS)
    @pytest.mark.parametrize("zone", ODD_ZONES)
    def test_a_boundary_is_the_first_instant_at_which_the_clock_has_reached_the_cutoff(
        self, zone: str, cutoff: time
    ) -> None:
        calendar, tz = Calendar(PeriodKind.DAY, zone, cutoff=cutoff), ZoneInfo(zone)
        for change in [at for year in (2010, 2011, 2015, 2018, 2019, 2024) for at in transitions(zone, year)]:
            at = change - timedelta(hours=30)
            while at < change + timedelta(hours=30):
                window = window_at(calendar, at)
                assert window.starts_at is not None
                at = window.ends_at or at
                due = datetime.combine(date.fromisoformat(window.label), cutoff)

                reached = window.starts_at.astimezone(tz).replace(tzinfo=None)
                before = (window.starts_at - timedelta(seconds=1)).astimezone(tz).replace(tzinfo=None)

                assert reached >= due
                assert before < due or before >= due + timedelta(hours=23)

    def test_what_a_calendar_asks_often_is_remembered_for_equal_calendars_alone(self) -> None:
        at = utc(2026, 11, 20, 20)

        labels = [window_at(Calendar(PeriodKind.DAY, zone), at).label for zone in ("UTC", "Asia/Seoul", "UTC")]

        assert labels == ["2026-11-20", "2026-11-21", "2026-11-20"]


class TestClockChanges:
    def test_a_skipped_cutoff_moves_to_the_first_instant_that_exists(self) -> None:
        calendar = Calendar(PeriodKind.DAY, "America/New_York", cutoff=time(2, 30))

        window = window_of(calendar, "2026-03-08")

        assert window.starts_at == utc(2026, 3, 8, 7)  # 01:59:59 EST is followed by 03:00:00 EDT
        assert window.ends_at == in_zone("America/New_York", date(2026, 3, 9), time(2, 30))

    def test_a_repeated_cutoff_counts_the_first_time(self) -> None:
        calendar = Calendar(PeriodKind.DAY, "America/New_York", cutoff=time(1, 30))

        window = window_of(calendar, "2026-11-01")

        assert window.starts_at == utc(2026, 11, 1, 5, 30)

    def test_between_a_cutoff_and_its_repetition_the_new_day_has_begun(self) -> None:
        calendar = Calendar(PeriodKind.DAY, "America/New_York", cutoff=time(1, 30))
        one_o_clock_again = in_zone("America/New_York", date(2026, 11, 1), time(1, 10), fold=1)

        assert window_at(calendar, one_o_clock_again).label == "2026-11-01"

    def test_a_clock_that_falls_back_across_midnight_does_not_fall_back_into_yesterday(self) -> None:
        calendar = Calendar(PeriodKind.DAY, "America/Havana")
        first_midnight = in_zone("America/Havana", date(2026, 11, 1))
        second_midnight = in_zone("America/Havana", date(2026, 11, 1), fold=1)

        window = window_of(calendar, "2026-11-01")

        assert second_midnight - first_midnight == timedelta(hours=1)
        assert window.starts_at == first_midnight
        assert window.contains(second_midnight - timedelta(seconds=1))

    def test_a_day_that_never_was_has_no_window(self) -> None:
        calendar = Calendar(PeriodKind.DAY, "Pacific/Apia")
        before = window_of(calendar, "2011-12-29")

        with pytest.raises(BadLabel):
            window_of(calendar, "2011-12-30")

        assert next_window(calendar, before).label == "2011-12-31"
        assert previous_window(calendar, window_of(calendar, "2011-12-31")) == before
        assert before.ends_at == utc(2011, 12, 30, 10)
        assert window_at(calendar, utc(2011, 12, 30, 10)).label == "2011-12-31"

    def test_the_week_of_the_day_that_never_was_is_a_day_shorter(self) -> None:
        window = window_of(Calendar(PeriodKind.WEEK, "Pacific/Apia"), "2011-52")
        assert window.starts_at is not None
        assert window.ends_at is not None

        assert window.ends_at - window.starts_at == timedelta(days=6)

    @pytest.mark.parametrize("zone", ["Pacific/Chatham", "Antarctica/Troll"])
    def test_days_keep_their_cutoff_through_odd_changes(self, zone: str) -> None:
        calendar = Calendar(PeriodKind.DAY, zone, cutoff=time(2, 30))
        window, walls = window_at(calendar, utc(2026, 1, 1, 12)), set()
        for _ in range(365):
            window = next_window(calendar, window)
            assert window.starts_at is not None
            walls.add(window.starts_at.astimezone(ZoneInfo(zone)).time())

        assert walls <= {time(2, 30), time(3, 0), time(3, 45)}
        assert time(2, 30) in walls
