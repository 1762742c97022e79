"""Names of boards and competitions: which match, in which order, and how often a name is folded."""

from unittest.mock import patch

import pytest

from leaderboards.core.input import name_matches
from leaderboards.core.input.folding import fold
from leaderboards.core.input.name_matches import FoldedNames, match_rank


def rank(name: str, sought: str) -> int | None:
    return match_rank(name, fold(name), sought, fold(sought))


def test_better_matches_come_first() -> None:
    names = ["Anyone", "New one", "Onea", "ONE", "One", "Two"]

    found = FoldedNames().best(enumerate(names), "One")

    assert [names[number] for number in found] == ["One", "ONE", "Onea", "New one", "Anyone"]


@pytest.mark.parametrize(
    ("name", "sought", "expected"),
    [
        ("a", "a", 0),
        ("ab", "a", None),
        ("ab", "\u3164", None),
        ("새 김민지", "기", 3),
        ("주간 ㅋㅋㅋ왕", "ㅋㅋ", 3),
        ("New one", "ne", 2),
        ("Anyone", "yon", 4),
        ("Anyone", "yom", None),
    ],
)
def test_a_name_matches_whole_by_prefix_of_a_word_or_anywhere(name: str, sought: str, expected: int | None) -> None:
    assert rank(name, sought) == expected


def test_each_name_is_folded_once_however_many_there_are_and_anew_once_it_changes() -> None:
    names = [(number, f"Éclair {number}") for number in range(9000)]
    known = FoldedNames()
    known.best(names, "ec")

    with patch.object(name_matches, "fold", wraps=fold) as folding:
        assert len(known.best(names, "ecl")) == 9000
        assert folding.call_count == 1  # of what is sought
        assert known.best([(1, "Zoë")], "zo") == [1]
        assert folding.call_count == 3
        known.best(names, "ecl")
        assert folding.call_count == 3 + 1 + 9000  # names that were gone are forgotten
