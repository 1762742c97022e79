"""Streaks, and the days that they are made of."""

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likes.core.activity import ATTENDANCE_DAYS, attendance, current, day_of, longest


@pytest.mark.parametrize(
    ("text", "streak"),
    [
        ("x.xxx", 3),  # up to today
        ("x.xx.", 2),  # up to yesterday, while today is not over
        ("xxx..", 0),  # a day left out ends it
        ("", 0),
        ("x", 1),
        (".", 0),
    ],
)
def test_a_streak_runs_up_to_today(text: str, streak: int) -> None:
    assert current([each == "x" for each in text]) == streak


@given(st.lists(st.booleans(), max_size=100))
def test_the_longest_streak_is_the_longest_run_of_days(present: list[bool]) -> None:
    text = "".join("x" if each else "." for each in present)

    assert longest(present) == max(map(len, text.split(".")))
    assert current(present) <= longest(present)


def test_a_strip_is_ten_weeks_of_utc_days_of_which_the_last_ends_today() -> None:
    today = day_of(datetime(2026, 3, 2, 9, tzinfo=timezone(timedelta(hours=13))))

    found = attendance(today, [True] * ATTENDANCE_DAYS)

    weeks = list(found.weeks)
    assert [len(week) for week in weeks] == [7] * 10
    assert (weeks[0][0][0], weeks[-1][-1][0]) == (date(2025, 12, 22), date(2026, 3, 1))
    assert (found.present, found.current, found.longest) == (70, 70, 70)
