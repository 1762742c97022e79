"""A name that nobody can see gives way to the id."""

import pytest

from leaderboards.core.names import shown_name


@pytest.mark.parametrize("name", ["Robin", "김서연", "سلام", "🦊", "0", "-", "\u200bx", "e\u0301"])
def test_a_name_of_which_something_is_seen_is_shown_as_it_is(name: str) -> None:
    assert shown_name(name, "robin") == name


@pytest.mark.parametrize(
    "name", ["", " ", "\u00a0\u2003", "\u200b\u200d", "\u3164", "\u2800\u2800", "\u0301", "\x07", "\ufeff"]
)
def test_a_name_of_nothing_gives_way_to_the_id(name: str) -> None:
    assert shown_name(name, "robin") == "robin"
