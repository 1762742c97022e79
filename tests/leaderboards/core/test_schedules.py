"""Windows by a cron expression, held against a naive model that looks at every minute of the zone's clock."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboards.core.periods import (
    Calendar,
    PeriodKind,
    Window,
    latest_window,
    next_opening,
    next_window,
    previous_window,
    window_at,
    window_of,
    window_open_at,
)
from leaderboards.core.schedule_labels import start_label, start_of_label
from leaderboards.core.schedules import Schedule, last_start, starts_after
from leaderboards.core.short_labels import long_label, short_label
from leaderboards.errors import BadLabel, BadTime, NotOpen
from tests.leaderboards.core.samples import ODD_ZONES, in_zone, utc

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
SPRING, AUTUMN = datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC)  # before Berlin's changes
# When clocks were put back or forward, or a day was skipped.
CHANGES = {
    "Europe/Berlin": (SPRING, AUTUMN),
    "Antarctica/Troll": (SPRING, AUTUMN),  # two hours
    "Australia/Lord_Howe": (utc(2026, 4, 4), utc(2026, 10, 3)),  # half an hour
    "America/Havana": (utc(2026, 3, 8), utc(2026, 11, 1)),  # at midnight
    "Pacific/Apia": (utc(2011, 12, 29),),  # has no 30 December 2011
    "Africa/Casablanca": (utc(2026, 2, 14), utc(2026, 3, 21)),  # for Ramadan
    "Antarctica/Casey": (utc(2018, 3, 10), utc(2020, 10, 3)),  # three hours
    "Asia/Seoul": (utc(2026, 11, 24),),
}


def weekend() -> Calendar:
    """Fridays at 18:00 to Sundays at 22:00 in Seoul."""
    return Calendar(PeriodKind.SCHEDULE, "Asia/Seoul", schedules=(Schedule("0 18 * * 5", 2 * 1440 + 240),))


def scheduled(expression: str, open_minutes: int | None = None, zone: str = "Europe/Berlin") -> Calendar:
    return Calendar(PeriodKind.SCHEDULE, zone, schedules=(Schedule(expression, open_minutes),))


# --- The naive model -------------------------------------------------------------------------------


def field(text: str, least: int, most: int) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        numbers, _, step = part.partition("/")
        first, _, last = numbers.partition("-")
        low, high = (least, most) if numbers == "*" else (int(first), int(last or (most if step else first)))
        found |= set(range(low, high + 1, int(step or 1)))
    return found


def naive_starts(expression: str, zone: str, since: datetime, days: int) -> list[datetime]:
    """Look at every minute: does the clock show a time of the expression? What it skips counts at the jump."""
    minute, hour, day, month, weekday = expression.split()
    minutes, hours, months = field(minute, 0, 59), field(hour, 0, 23), field(month, 1, 12)
    month_days, weekdays = field(day, 1, 31), {each % 7 for each in field(weekday, 0, 7)}

    def matches(wall: datetime) -> bool:
        of_month, of_week = wall.day in month_days, (wall.weekday() + 1) % 7 in weekdays
        is_day = of_month and of_week if day[0] == "*" or weekday[0] == "*" else of_month or of_week
        return wall.minute in minutes and wall.hour in hours and wall.month in months and is_day

    is_fixed = minute[0] != "*" and hour[0] != "*"
    found: list[datetime] = []
    at, furthest = since, None
    while at < since + days * DAY:
        wall = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        if not is_fixed:
            is_start = matches(wall)
        else:
            before = furthest or wall - MINUTE
            is_start = any(matches(before + nth * MINUTE) for nth in range(1, (wall - before) // MINUTE + 1))
            furthest = max(before, wall)
        if is_start:
            found.append(at)
        at += MINUTE
    return found


expressions = st.builds(
    "{} {} {} {} {}".format,
    st.sampled_from(["0", "30", "*/20", "15,45", "*/15", "1-59/13", "0,59"]),
    st.sampled_from(["*", "0", "1", "2", "3", "*/2", "1-3", "0,12", "1,2,3", "23", "*/3"]),
    st.sampled_from(["*", "*", "29-31", "1,15", "*/2"]),
    st.sampled_from(["*", "*", "3,4,10,11,12"]),
    st.sampled_from(["*", "*", "0", "6,7", "1-5"]),
)
changes = st.sampled_from([(zone, each) for zone, several in CHANGES.items() for each in several])


@given(expressions, changes)
@example("30 2 * * *", ("Europe/Berlin", SPRING))
@example("30 2 * * *", ("Europe/Berlin", AUTUMN))
@example("0 2,3 * * *", ("Europe/Berlin", SPRING))
@example("30 * * * *", ("Europe/Berlin", AUTUMN))
@example("*/20 * * * *", ("Antarctica/Troll", AUTUMN))
@example("0 0 * * *", ("America/Havana", utc(2026, 3, 8)))
@example("0 12 * * *", ("Pacific/Apia", utc(2011, 12, 29)))
def test_starts_are_those_of_a_clock_that_is_looked_at_every_minute(
    expression: str, change: tuple[str, datetime]
) -> None:
    zone, since = change
    expected = naive_starts(expression, zone, since, 4)
    end = since + 4 * DAY - MINUTE

    found = [each for each in islice(starts_after(expression, ZoneInfo(zone), since - MINUTE), 500) if each <= end]

    assert found == expected


@given(expressions, changes, st.integers(0, 4 * 1440))
def test_the_last_start_is_the_one_that_was_passed_on_the_way(
    expression: str, change: tuple[str, datetime], minutes: int
) -> None:
    zone, since = change
    at = since + minutes * MINUTE
    expected = max((each for each in naive_starts(expression, zone, since, 5) if each <= at), default=None)

    last = last_start(expression, ZoneInfo(zone), at)

    assert last == expected if expected is not None else last is None or last < since


@given(st.sampled_from(ODD_ZONES), st.integers(0, 8 * 366))
def test_a_label_names_one_minute_and_the_labels_of_minutes_sort_as_they_do(zone: str, days: int) -> None:
    there = ZoneInfo(zone)
    hours = [utc(2024, 1, 1) + days * DAY + nth * 15 * MINUTE for nth in range(160)]
    labels = [start_label(each, there) for each in hours]

    assert [start_of_label(label, there) for label in labels] == hours
    assert labels == sorted(labels)
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert len(label) <= 24
        assert len(short_label(label)) <= 7
        assert long_label(short_label(label)) == label


@given(changes)
def test_no_two_minutes_have_one_label_where_a_clock_is_put_back(change: tuple[str, datetime]) -> None:
    zone, since = change
    minutes = [since + nth * MINUTE for nth in range(3 * 1440)]
    labels = [start_label(each, ZoneInfo(zone)) for each in minutes]

    assert len(set(labels)) == len(labels)
    assert labels == sorted(labels)


@given(expressions, changes, st.one_of(st.none(), st.sampled_from([10, 45, 60, 1440, 3120])))
def test_windows_never_overlap_and_each_is_found_by_its_label_and_by_its_neighbours(
    expression: str, change: tuple[str, datetime], open_minutes: int | None
) -> None:
    zone, since = change
    calendar = scheduled(expression, open_minutes, zone)
    windows = list(islice(following(calendar, latest_window(calendar, since)), 40))

    for window, later in pairwise(windows):
        assert window.starts_at is not None
        assert window.ends_at is not None
        assert later.starts_at is not None
        assert window.starts_at < window.ends_at <= later.starts_at
        assert window.label < later.label
        assert window_of(calendar, window.label) == window
        assert previous_window(calendar, later) == window
        assert window_at(calendar, window.starts_at) == window
        gap = later.starts_at - timedelta(microseconds=1)
        assert window_open_at(calendar, gap) == (window if gap < window.ends_at else None)
        assert latest_window(calendar, gap) == window
        assert next_opening(calendar, gap) == later.starts_at


def following(calendar: Calendar, window: Window) -> Iterator[Window]:
    while True:
        yield window
        window = next_window(calendar, window)


# --- By hand ---------------------------------------------------------------------------------------


def test_a_weekend_in_seoul() -> None:
    calendar = weekend()
    friday, sunday = in_zone("Asia/Seoul", utc(2026, 11, 27).date()) + 18 * HOUR, utc(2026, 11, 29, 13)

    assert window_at(calendar, friday) == Window("2026-11-27-1800", friday, sunday)
    assert window_open_at(calendar, sunday) is None
    assert latest_window(calendar, sunday).label == "2026-11-27-1800"
    assert latest_window(calendar, friday - MINUTE).label == "2026-11-20-1800"
    with pytest.raises(
        NotOpen, match=r"was open on 2026-11-24 .* the next one starts on 2026-11-27 09:00:00 UTC"
    ) as refused:
        window_at(calendar, utc(2026, 11, 24))
    assert refused.value.opens_at == friday


def test_whole_days_end_at_the_same_time_of_the_clock_and_the_rest_is_elapsed() -> None:
    berlin = scheduled("0 18 * * 5", 2 * 1440 + 240)
    for friday, sunday in (
        (utc(2026, 3, 27, 17), utc(2026, 3, 29, 20)),
        (utc(2026, 10, 23, 16), utc(2026, 10, 25, 21)),
    ):
        assert (window_at(berlin, friday).starts_at, window_at(berlin, friday).ends_at) == (friday, sunday)

    short = scheduled("0 1 * * *", 120)
    window = window_at(short, utc(2026, 10, 24, 23))
    assert window.ends_at == utc(2026, 10, 25, 1)  # 02:00 in the second pass


def test_a_window_that_would_reach_into_the_next_ends_there() -> None:
    quarters = scheduled("0 */6 * * *", 360)
    window = window_at(quarters, in_zone("Europe/Berlin", utc(2026, 3, 29).date()))

    assert window.ends_at == in_zone("Europe/Berlin", utc(2026, 3, 29).date()) + 5 * HOUR


def test_the_repeated_hour_has_two_windows_with_labels_of_their_own() -> None:
    hourly = scheduled("0 * * * *")
    windows = list(islice(following(hourly, window_at(hourly, utc(2026, 10, 24, 23))), 4))

    assert [window.label[11:] for window in windows] == ["0100", "0200", "02b00", "0300"]
    assert [window.starts_at for window in windows] == [utc(2026, 10, 24, 23) + nth * HOUR for nth in range(4)]


def test_an_earlier_schedule_holds_until_it_is_replaced() -> None:
    until = utc(2026, 11, 29, 13)
    noon = Schedule("0 12 * * *", 120)
    changed = Calendar(PeriodKind.SCHEDULE, "Asia/Seoul", schedules=(Schedule("0 18 * * 5", 3120, until), noon))

    assert window_at(changed, until - MINUTE) == window_at(weekend(), until - MINUTE)
    assert next_window(changed, window_at(changed, until - MINUTE)).label == "2026-11-30-1200"
    assert previous_window(changed, window_of(changed, "2026-11-30-1200")).label == "2026-11-27-1800"
    with pytest.raises(BadLabel):
        window_of(changed, "2026-11-27-1200")  # the daily one did not hold yet
    with pytest.raises(BadLabel):
        window_of(changed, "2026-12-04-1800")  # the weekly one holds no more


@pytest.mark.parametrize(
    "label", ["2026-11-27-1900", "2026-11-27", "2026-48", "2026-11-27-18b00", "2026-13-27-1800", "all", "", "c7"]
)
def test_a_label_of_no_window_is_refused(label: str) -> None:
    with pytest.raises(BadLabel):
        window_of(weekend(), label)


def test_outside_the_years_nothing_is_found() -> None:
    for at in (utc(1960, 1, 1), utc(9999, 6, 1)):
        with pytest.raises(BadTime):
            window_at(weekend(), at)
        with pytest.raises(BadTime):
            latest_window(weekend(), at)
    with pytest.raises(BadLabel):
        list(following(scheduled("0 0 1 1 *"), window_at(scheduled("0 0 1 1 *"), utc(9997, 6, 1))))
