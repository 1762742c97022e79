"""What is asked of capacity on paper: numbers as people write them, and refusals of those that cannot be."""

import re

import pytest

from leaderboards.core.capacity.figures import BadCapacity
from leaderboards.core.capacity.load import Load, read_number


@pytest.mark.parametrize(
    ("text", "number"), [("500e6", 500_000_000), ("500_000_000", 500_000_000), (" 5E6 ", 5_000_000), ("7", 7)]
)
def test_players_are_written_as_people_write_them(text: str, number: int) -> None:
    found = read_number("players", text)

    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("players", "many", "is no number"),
        ("players", "", "is no number"),
        ("players", "0", "from 1 to 1e"),
        ("players", "-5", "from 1 to"),
        ("players", "1.5", "a whole number"),
        ("players", "1e12", "from 1 to"),
        ("players", "1e999999", "from 1 to"),
        ("players", "nan", "no finite number"),
        ("players", "inf", "no finite number"),
        ("updates_per_day", "-1", "--updates-per-day must be from 0"),
        ("load", "1.5", "--load must be from 0.01 to 1"),
        ("peak", "0.5", "--peak must be from 1"),
        ("batch", "1001", "--batch must be from 1 to 1000"),
        ("period_days", "0", "--period-days must be from 0.01"),
    ],
)
def test_a_number_that_cannot_be_is_refused_with_what_it_must_be(name: str, text: str, why: str) -> None:
    with pytest.raises(BadCapacity, match=re.escape(why)):
        read_number(name, text)


def test_a_load_checks_what_it_is_given() -> None:
    for wrong in ({"players": 0}, {"players": 1, "storage": "sql"}, {"players": 1, "replicas": 0.5}):
        with pytest.raises(BadCapacity):
            Load(**wrong)
