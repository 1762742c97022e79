"""What an id stands for: equal entries have equal content, however their numbers are written."""

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.input.json_body import read_json
from leaderboards.services.submit.entry_content import content


def content_of(points: str) -> str:
    return content(read_entry(read_json(f'{{"board": 1, "player": "ann", "points": {points}}}'.encode()), 0))


@pytest.mark.parametrize(("one", "other"), [("0", "-0.0"), ("0", "0E+7"), ("1", '"1"'), ("100", "1e2")])
def test_one_number_is_one_content(one: str, other: str) -> None:
    assert content_of(one) == content_of(other)


def test_other_numbers_are_other_content() -> None:
    assert content_of("1") != content_of("-1")
