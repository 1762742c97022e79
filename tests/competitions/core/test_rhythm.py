"""When copies of a competition take place: times of the clock in weeks in which it changes, short months, cron."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.rhythm import MOST_COPIES, Plan, Rhythm, moved, starts_of, weeks_later
from competitions.errors import BadCompetition

BERLIN, SEOUL = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Seoul")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def local(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def walls(found: list[datetime], zone: ZoneInfo = BERLIN) -> list[str]:
    return [f"{each.astimezone(zone):%Y-%m-%d %H:%M}" for each in found]


def test_a_week_later_it_is_the_same_time_of_the_clock_though_the_clock_was_put_back() -> None:
    found = starts_of(Plan(local("2026-10-16 18:00"), 3), BERLIN)

    assert walls(found) == ["2026-10-16 18:00", "2026-10-23 18:00", "2026-10-30 18:00"]
    assert found[2] - found[1] == 7 * DAY + HOUR


def test_a_month_without_such_a_day_has_it_on_its_last_and_the_next_one_on_its_own() -> None:
    found = starts_of(Plan(local("2027-01-31 09:00"), 4, Rhythm.MONTHLY), BERLIN)

    assert walls(found) == ["2027-01-31 09:00", "2027-02-28 09:00", "2027-03-31 09:00", "2027-04-30 09:00"]


def test_a_time_that_the_clock_skips_is_the_first_after_the_jump() -> None:
    found = starts_of(Plan(local("2027-03-21 02:30"), 2), BERLIN)

    assert walls(found) == ["2027-03-21 02:30", "2027-03-28 03:00"]


def test_cron_begins_with_the_first_start_that_is_not_too_early() -> None:
    first = local("2026-11-25 18:00", SEOUL)

    found = starts_of(Plan(first, 3, Rhythm.CRON, "0 18 * * 3,5"), SEOUL)

    assert walls(found, SEOUL) == ["2026-11-25 18:00", "2026-11-27 18:00", "2026-12-02 18:00"]


@pytest.mark.parametrize(
    ("plan", "field", "said"),
    [
        (Plan(local("2026-11-25 18:00"), 0), "number", "Make 1 to 60 at once."),
        (Plan(local("2026-11-25 18:00"), MOST_COPIES + 1), "number", "Make 1 to 60 at once."),
        (Plan(local("2026-11-25 18:00"), 2, Rhythm.CRON, "every friday"), "expression", "five fields"),
        (Plan(local("2026-11-25 18:00"), 2, Rhythm.CRON, "0 0 30 2 *"), "expression", "never starts"),
        (Plan(local("2026-11-25 18:00"), 2, Rhythm.CRON, "* * * * *"), "expression", "at least 10 min"),
        (Plan(local("9998-11-25 18:00"), 12, Rhythm.MONTHLY), "number", "make fewer"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_the_field(plan: Plan, field: str, said: str) -> None:
    with pytest.raises(BadCompetition) as refused:
        starts_of(plan, BERLIN)

    assert refused.value.field == field
    assert said in str(refused.value.detail)


def test_a_weekend_keeps_its_times_of_the_clock_and_an_hour_its_length() -> None:
    start, end = local("2026-10-16 18:00"), local("2026-10-18 22:00")
    night = local("2026-10-18 01:30"), local("2026-10-18 03:30")

    weekend = moved(end, start, local("2026-10-23 18:00"), BERLIN)
    two_hours = moved(night[1], night[0], local("2026-10-25 01:30"), BERLIN)

    assert walls([weekend]) == ["2026-10-25 22:00"]
    assert weekend - local("2026-10-23 18:00") == 53 * HOUR
    assert two_hours - local("2026-10-25 01:30").astimezone(UTC) == 2 * HOUR


def test_what_lay_before_the_start_lies_before_the_new_one() -> None:
    start, until = local("2026-10-16 18:00"), local("2026-10-14 12:00")

    assert walls([moved(until, start, local("2026-10-30 18:00"), BERLIN)]) == ["2026-10-28 12:00"]


@given(st.integers(0, 3000), st.integers(1, 60), st.sampled_from([BERLIN, SEOUL, ZoneInfo("America/St_Johns")]))
def test_starts_go_forward_and_a_move_back_gives_what_there_was(hours: int, number: int, zone: ZoneInfo) -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC) + hours * HOUR

    found = starts_of(Plan(first, number), zone)

    assert found == sorted(set(found))
    assert len(found) == number
    assert found[0] == first
    assert all(each == weeks_later(first, nth, zone) for nth, each in enumerate(found) if nth)
    end = first + 3 * DAY
    assert moved(end, first, first, zone) in (end, end - HOUR, end - timedelta(minutes=30))
