"""Cron expressions and openings that a board may have, and what a refusal of one says."""

import re
from datetime import datetime, timedelta
from itertools import pairwise, takewhile

import pytest
from cronsim import CronSim

from foundation.messages import Message
from leaderboards.core.schedule_checks import BOUNDS, check_schedule
from leaderboards.errors import BadBoard

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("expression", "open_minutes", "field", "detail"),
    [
        ("", None, "schedule", "has five fields"),
        ("0 18 * *", None, "schedule", "has five fields"),
        ("0 0 18 * * 5", None, "schedule", "has five fields"),
        ("@daily", None, "schedule", "Write `0 0 * * *`"),
        (" @Weekly ", None, "schedule", "Write `0 0 * * 0`"),
        ("@every 72h", None, "schedule", "There are no intervals"),
        ("@every 72h", None, "schedule", "`0 0 * * MON,THU`"),
        ("@reboot", None, "schedule", "@reboot is not known here"),
        ("0 18 * * " + "5," * 60 + "5", None, "schedule", "has five fields"),
        ("60 18 * * 5", None, "schedule", "'60' is no minute: it takes 0 to 59, also as 1-5, 1,3 or */2, and *."),
        ("0 24 * * 5", None, "schedule", "'24' is no hour: it takes 0 to 23,"),
        ("0 18 32 * 5", None, "schedule", "'32' is no day of month: it takes 1 to 31,"),
        ("0 18 * 13 5", None, "schedule", "'13' is no month: it takes 1 to 12, or JAN to DEC,"),
        ("0 18 * * FRY", None, "schedule", "'FRY' is no day of week: it takes 0 to 7, or SUN to SAT,"),
        ("0 18 31 2 *", None, "schedule", "never starts"),
        ("0 18 30,31 2 *", None, "schedule", "never starts"),
        ("* * * * *", None, "schedule", "starts again after 1 min"),
        ("0,5 18 * * 5", None, "schedule", "starts again after 5 min"),
        ("0,55 0,2,4,6,8,10,12,14,16,18,20,23 7 * SUN", 55, "schedule", "starts again after 5 min"),
        ("59 23 * * *", 1441, "open_minutes", "The windows overlap: each is open for 1441 min, and the next starts"),
        ("0 12 * * *", 0, "open_minutes", "is 1 to"),
        ("0 12 * * *", True, "open_minutes", "whole number"),
        ("0 12 1 1 *", 366 * 1440 + 1, "open_minutes", "is 1 to"),
    ],
)
def test_what_cannot_be_is_refused_and_says_why(
    expression: str, open_minutes: int | None, field: str, detail: str
) -> None:
    with pytest.raises(BadBoard) as refused:
        check_schedule(expression, open_minutes)

    assert refused.value.field == field
    assert detail in refused.value.detail
    assert isinstance(refused.value.detail, Message)


@pytest.mark.parametrize(
    "expression",
    [
        "10,55 0,20 7 * SUN",
        "30 0,23 1 */2 MON",
        "0 1,22 28-31 2 *",
        "15 3 13 * FRI",
        "0 0 * * 5L",
        "20,50 12 L 1,12 *",
        "0 6,18 * 2 1#2",
    ],
)
def test_the_shortest_distance_is_that_of_all_starts_of_the_calendar(expression: str) -> None:
    begin = datetime(2023, 12, 31)  # noqa: DTZ001 - a clock's time, which has no zone
    starts = takewhile(lambda start: start.year < 2080, CronSim(expression, begin))

    assert check_schedule(expression, None).shortest == min(later - earlier for earlier, later in pairwise(starts))


def test_the_bounds_that_a_refusal_names_are_those_that_hold() -> None:
    names = {3: ("JAN", "DEC"), 4: ("SUN", "SAT")}

    for nth, bounds in enumerate(BOUNDS):
        least, most = map(int, re.findall(r"\d+", bounds))
        if nth in names:
            assert bounds.endswith(f", or {names[nth][0]} to {names[nth][1]}")
        for text, holds in [
            (str(least), True), (str(most), True), (str(most + 1), False),
            *([(str(least - 1), False)] if least else []), *((name, True) for name in names.get(nth, ())),
        ]:  # fmt: skip  # as a table
            fields = ["0", "0", "*", "*", "*"]
            fields[nth] = text
            if holds:
                check_schedule(" ".join(fields), None)
            else:
                with pytest.raises(BadBoard, match="is no"):
                    check_schedule(" ".join(fields), None)


@pytest.mark.parametrize(
    "expression", ["0 18 * * 5", "0 18 * * FRI", "*/10 * * * *", "0 0 29 2 *", "0 9 * * 1#2", "0 0 L * *"]
)
def test_what_can_be_is_taken(expression: str) -> None:
    assert check_schedule(expression, None).shortest >= 10 * MINUTE
