"""Windows: their labels, their boundaries, and that they tile every zone and clock change."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboards.core.instants import from_milliseconds
from leaderboards.core.periods import (
    Calendar,
    PeriodKind,
    Window,
    days_of,
    event_window,
    next_window,
    previous_window,
    window_at,
    window_of,
)
from leaderboards.errors import BadBoard, BadEntry, BadLabel, BadTime

DERIVED = (PeriodKind.DAY, PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.YEAR)
CUTOFFS = (time(0, 0), time(2, 30), time(23, 59))
# Offsets of 45 minutes, jumps of two hours, a skipped day, a clock that turns back for Ramadan, jumps
# at midnight and at -01:00, half an hour of summer time, changes of the standard offset.
ODD_ZONES = (
    *("Pacific/Chatham", "Antarctica/Troll", "Pacific/Apia", "Africa/Casablanca", "America/Scoresbysund"),
    *("Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana", "Asia/Gaza", "Africa/Cairo"),
    *("Europe/London", "America/New_York", "Asia/Seoul", "Asia/Pyongyang", "Asia/Kathmandu", "Europe/Dublin"),
    *("America/Caracas", "Pacific/Kwajalein", "Pacific/Kiritimati", "Africa/Monrovia", "Antarctica/Casey"),
)

zones = st.one_of(st.sampled_from(ODD_ZONES), st.sampled_from(sorted(available_timezones())))
cutoffs = st.one_of(st.sampled_from(CUTOFFS), st.times().map(lambda t: t.replace(second=0, microsecond=0)))
calendars = st.builds(Calendar, st.sampled_from(DERIVED), zones, st.integers(0, 6), cutoffs)
instants = st.integers(32_000_000_000, 3_800_000_000_000).map(from_milliseconds)  # 1971 to 2090


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def in_zone(zone: str, day: date, clock: time = time(0), fold: int = 0) -> datetime:
    return datetime.combine(day, clock, ZoneInfo(zone)).replace(fold=fold).astimezone(UTC)


def transitions(zone: str, year: int) -> list[datetime]:
    """The hours of a year in which the zone's offset changes, by looking at every one."""
    at, hours = utc(year, 1, 1), []
    while at.year == year:
        following = at + timedelta(hours=1)
        if at.astimezone(ZoneInfo(zone)).utcoffset() != following.astimezone(ZoneInfo(zone)).utcoffset():
            hours.append(at)
        at = following
    return hours


def label_beyond(step: Callable[[Calendar, Window], Window], calendar: Calendar, window: Window) -> str | None:
    try:
        return step(calendar, window).label
    except BadLabel:
        return None


class TestLabels:
    @pytest.mark.parametrize(
        ("kind", "label"),
        [
            (PeriodKind.DAY, "2017-09-12"),
            (PeriodKind.WEEK, "2017-37"),
            (PeriodKind.MONTH, "2017-09"),
            (PeriodKind.YEAR, "2017"),
            (PeriodKind.ALL_TIME, "all"),
        ],
    )
    def test_each_kind_has_its_form(self, kind: PeriodKind, label: str) -> None:
        window = window_at(Calendar(kind), utc(2017, 9, 12, 8))

        assert window.label == label
        assert window_of(Calendar(kind), label) == window

    def test_the_weeks_of_the_worked_examples(self) -> None:
        calendar = Calendar(PeriodKind.WEEK)

        labels = [window_at(calendar, utc(2017, 9, day)).label for day in (12, 14, 19)]

        assert labels == ["2017-37", "2017-37", "2017-38"]

    @given(st.dates(date(1970, 1, 1), date(9998, 12, 31)))
    def test_a_week_from_monday_is_the_iso_week(self, day: date) -> None:
        noon = datetime.combine(day, time(12), UTC)
        year, number, _ = day.isocalendar()

        if 1970 <= year <= 9998:
            assert window_at(Calendar(PeriodKind.WEEK), noon).label == f"{year:04d}-{number:02d}"

    @given(st.dates(date(1970, 1, 10), date(2200, 12, 31)), st.integers(0, 6))
    def test_a_week_belongs_to_the_year_that_holds_four_of_its_days(self, day: date, week_start: int) -> None:
        calendar = Calendar(PeriodKind.WEEK, week_start=week_start)
        window = window_at(calendar, datetime.combine(day, time(12), UTC))
        assert window.starts_at is not None

        days = [(window.starts_at + timedelta(days=n)).date() for n in range(7)]
        year, number = (int(part) for part in window.label.split("-"))

        assert days[0].weekday() == week_start
        assert sum(1 for each in days if each.year == year) >= 4
        earlier = previous_window(calendar, window)
        assert number == 1 or earlier.label == f"{year:04d}-{number - 1:02d}"

    @pytest.mark.parametrize(
        ("day", "week_start", "label"),
        [
            (date(2021, 1, 2), 6, "2020-53"),  # Sunday: 27 Dec to 2 Jan, five days in 2020
            (date(2021, 1, 3), 6, "2021-01"),
            (date(2020, 1, 1), 6, "2020-01"),  # Sunday: 29 Dec to 4 Jan, four days in 2020
            (date(2022, 1, 1), 5, "2022-01"),  # Saturday: begins on the day itself
            (date(2021, 12, 31), 5, "2021-52"),
        ],
    )
    def test_weeks_that_start_on_other_days(self, day: date, week_start: int, label: str) -> None:
        calendar = Calendar(PeriodKind.WEEK, week_start=week_start)

        assert window_at(calendar, datetime.combine(day, time(12), UTC)).label == label

    @pytest.mark.parametrize(
        ("kind", "label"),
        [
            *((PeriodKind.WEEK, label) for label in ("2017-9", "2017-54", "2017-00", "2021-53", "2017-W37")),
            *((PeriodKind.WEEK, label) for label in ("", "2017", "2017-09-12", " 2017-37", "2017-37\n")),
            *((PeriodKind.MONTH, label) for label in ("2017-13", "2017-00", "2017-9", "٢٠١٧-٠٩", "2017-9 ")),
            *((PeriodKind.DAY, label) for label in ("2017-02-29", "2017-9-12", "20170912", "2017-09-31")),
            *((PeriodKind.YEAR, label) for label in ("1969", "9999", "0000", "17", "+2017", "02017")),
            *((PeriodKind.WEEK, label) for label in ("0000-01", "0001-01", "9999-01", "9999-52", "1969-52")),
            *((PeriodKind.ALL_TIME, label) for label in ("ALL", "2017", "")),
            *((PeriodKind.EVENT, label) for label in ("c7", "all")),
        ],
    )
    def test_what_no_window_bears_is_refused(self, kind: PeriodKind, label: str) -> None:
        with pytest.raises(BadLabel):
            window_of(Calendar(kind), label)

    @given(st.sampled_from(PeriodKind), st.text(max_size=12))
    def test_no_text_is_more_than_refused(self, kind: PeriodKind, label: str) -> None:
        try:
            window = window_of(Calendar(kind), label)
        except BadLabel:
            return

        assert window.label == label

    def test_the_week_53_exists_where_the_year_is_long(self) -> None:
        window = window_of(Calendar(PeriodKind.WEEK), "2020-53")

        assert window == Window("2020-53", utc(2020, 12, 28), utc(2021, 1, 4))

    @pytest.mark.parametrize("kind", DERIVED)
    @pytest.mark.parametrize("year", [1970, 9998])
    def test_the_first_and_the_last_year_have_windows_and_nothing_lies_beyond(
        self, kind: PeriodKind, year: int
    ) -> None:
        calendar = Calendar(kind, "Asia/Seoul", cutoff=time(4, 0))
        window = window_at(calendar, in_zone("Asia/Seoul", date(year, 6 if year == 1970 else 12, 28), time(12)))

        step = previous_window if year == 1970 else next_window
        while label_beyond(step, calendar, window) is not None:
            window = step(calendar, window)

        assert int(window.label[:4]) == year
        assert window_of(calendar, window.label) == window

    @pytest.mark.parametrize("kind", DERIVED)
    @pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
    @pytest.mark.parametrize(
        "at",
        [utc(1, 1, 1), utc(1969, 12, 20), utc(9999, 1, 10), utc(9999, 12, 31, 23, 59)],
    )
    def test_a_time_outside_the_years_is_refused(self, kind: PeriodKind, zone: str, at: datetime) -> None:
        with pytest.raises(BadTime):
            window_at(Calendar(kind, zone), at)

    @given(calendars, st.integers(-20 * 24, 20 * 24), st.sampled_from([1970, 9999]))
    def test_around_the_first_and_last_year_there_is_a_window_or_a_refusal(
        self, calendar: Calendar, hours: int, year: int
    ) -> None:
        at = utc(year, 1, 1) + timedelta(hours=hours)

        try:
            window = window_at(calendar, at)
        except BadTime:
            return

        assert window.contains(at)
        assert window_of(calendar, window.label) == window


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


class TestOtherWindows:
    def test_all_time_has_no_ends_and_no_neighbours(self) -> None:
        calendar = Calendar(PeriodKind.ALL_TIME)
        window = window_at(calendar, utc(2026, 1, 1))

        assert window == Window("all", None, None)
        assert window.contains(utc(1, 1, 1))
        with pytest.raises(ValueError, match="neighbours"):
            next_window(calendar, window)
        with pytest.raises(ValueError, match="neighbours"):
            previous_window(calendar, window)

    def test_a_competition_has_its_own_window(self) -> None:
        window = event_window(7, in_zone("Asia/Seoul", date(2026, 11, 20), time(9)), utc(2026, 11, 21))

        assert window == Window("c7", utc(2026, 11, 20), utc(2026, 11, 21))
        assert not window.contains(utc(2026, 11, 21))
        with pytest.raises(ValueError, match="neighbours"):
            next_window(Calendar(PeriodKind.EVENT), window)

    def test_a_competition_that_ends_before_it_starts_is_refused(self) -> None:
        with pytest.raises(BadBoard, match="end after it starts"):
            event_window(7, utc(2026, 11, 21), utc(2026, 11, 21))

    def test_an_event_board_wants_the_competition_named(self) -> None:
        with pytest.raises(BadEntry, match="`competition`"):
            window_at(Calendar(PeriodKind.EVENT), utc(2026, 11, 21))

    def test_people_see_days_of_the_boards_zone(self) -> None:
        calendar = Calendar(PeriodKind.WEEK, "Asia/Seoul", cutoff=time(4, 0))
        event = event_window(7, utc(2026, 11, 19, 16), utc(2026, 11, 20, 15))

        assert days_of(calendar, window_of(calendar, "2026-47")) == (date(2026, 11, 16), date(2026, 11, 22))
        assert days_of(Calendar(PeriodKind.EVENT, "Asia/Seoul"), event) == (date(2026, 11, 20),) * 2
        assert days_of(Calendar(PeriodKind.ALL_TIME), Window("all", None, None)) is None

    @pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "asia/seoul", "right/UTC", "localtime"])
    def test_only_iana_zones_are_known(self, zone: str) -> None:
        with pytest.raises(BadBoard, match="IANA"):
            Calendar(PeriodKind.DAY, zone)

    def test_a_week_starts_on_a_day_that_exists(self) -> None:
        with pytest.raises(BadBoard, match="monday"):
            Calendar(PeriodKind.WEEK, week_start=7)

    @pytest.mark.parametrize("cutoff", [time(0, 0, 1), time(0, 0, 0, 1), time(0, 0, tzinfo=UTC)])
    def test_a_cutoff_is_hours_and_minutes_of_local_time(self, cutoff: time) -> None:
        with pytest.raises(BadBoard, match="local time"):
            Calendar(PeriodKind.DAY, cutoff=cutoff)
