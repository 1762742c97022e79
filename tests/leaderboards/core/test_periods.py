"""Windows: their labels, strictly read, and the years in which they exist."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from leaderboards.core.short_labels import long_label, short_label
from leaderboards.errors import BadBoard, BadEntry, BadLabel, BadTime
from tests.leaderboards.core.samples import DERIVED, calendars, in_zone, utc

FORMS = ("2017-09-12", "2017-37", "2017-09", "2017", "all")


class TestLabels:
    def test_each_kind_has_its_form(self) -> None:
        for kind, label in zip((*DERIVED, PeriodKind.ALL_TIME), FORMS, strict=True):
            window = window_at(Calendar(kind), utc(2017, 9, 12, 8))

            assert window.label == label
            assert window_of(Calendar(kind), label) == window
            assert len(short_label(label)) <= 4
            assert long_label(short_label(label)) == label

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
            *((date(2017, 9, 12), 0, "2017-37"), (date(2017, 9, 14), 0, "2017-37"), (date(2017, 9, 19), 0, "2017-38")),
            *((date(2020, 12, 28), 0, "2020-53"), (date(2021, 1, 3), 0, "2020-53"), (date(2021, 1, 4), 0, "2021-01")),
            (date(2021, 1, 2), 6, "2020-53"),  # Sunday: 27 Dec to 2 Jan, five days in 2020
            (date(2021, 1, 3), 6, "2021-01"),
            (date(2020, 1, 1), 6, "2020-01"),  # Sunday: 29 Dec to 4 Jan, four days in 2020
            (date(2022, 1, 1), 5, "2022-01"),  # Saturday: begins on the day itself
            (date(2021, 12, 31), 5, "2021-52"),
        ],
    )
    def test_weeks_start_on_the_day_that_the_board_says(self, day: date, week_start: int, label: str) -> None:
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

    @pytest.mark.parametrize("kind", DERIVED)
    @pytest.mark.parametrize(("step", "year"), [(previous_window, 1970), (next_window, 9998)])
    def test_the_first_and_the_last_year_have_windows_and_nothing_lies_beyond(
        self, kind: PeriodKind, step: Callable[[Calendar, Window], Window], year: int
    ) -> None:
        calendar = Calendar(kind, "Asia/Seoul", cutoff=time(4, 0))
        window = window_at(calendar, utc(year, 6, 28))

        with pytest.raises(BadLabel):  # noqa: PT012 - how many steps it takes depends on the kind
            for _ in range(366):
                window = step(calendar, window)

        assert int(window.label[:4]) == year
        assert window_of(calendar, window.label) == window

    @pytest.mark.parametrize("at", [utc(1, 1, 1), utc(1969, 12, 20), utc(9999, 1, 10), utc(9999, 12, 31, 23, 59)])
    def test_a_time_outside_the_years_is_refused(self, at: datetime) -> None:
        for kind, zone in product(DERIVED, ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago")):
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
        with pytest.raises(BadEntry, match="`competition`"):
            window_at(Calendar(PeriodKind.EVENT), utc(2026, 11, 20))
        with pytest.raises(BadBoard, match="end after it starts"):
            event_window(7, utc(2026, 11, 21), utc(2026, 11, 21))

    def test_people_see_days_of_the_boards_zone(self) -> None:
        calendar = Calendar(PeriodKind.WEEK, "Asia/Seoul", cutoff=time(4, 0))
        event = event_window(7, utc(2026, 11, 19, 16), utc(2026, 11, 20, 15))

        assert days_of(calendar, window_of(calendar, "2026-47")) == (date(2026, 11, 16), date(2026, 11, 22))
        assert days_of(Calendar(PeriodKind.EVENT, "Asia/Seoul"), event) == (date(2026, 11, 20),) * 2
        assert days_of(Calendar(PeriodKind.ALL_TIME), Window("all", None, None)) is None

    def test_a_calendar_has_an_iana_zone_a_day_that_exists_and_hours_and_minutes_of_local_time(self) -> None:
        wrong: list[tuple[str, Any, str]] = [
            *(("timezone", zone, "IANA") for zone in ("Mars/Olympus", "", "../etc/passwd", "asia/seoul", "localtime")),
            ("week_start", 7, "monday"),
            *(("cutoff", cut, "local time") for cut in (time(0, 0, 1), time(0, 0, 0, 1), time(0, 0, tzinfo=UTC))),
        ]

        for name, value, reason in wrong:
            with pytest.raises(BadBoard, match=reason):
                Calendar(PeriodKind.DAY, **{name: value})
