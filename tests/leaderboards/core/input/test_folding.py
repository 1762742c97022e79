"""Names as they are searched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.input.folding import (
    MAX_LENGTH,
    begins_with,
    fold,
    folded_name,
    is_searchable,
    prefix_ranges,
)

texts = st.text(max_size=30)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Zoë", "zoe"),
        ("Zoe\u0308", "zoe"),
        ("ŁUKASZ", "lukasz"),
        ("Straße", "strasse"),
        ("STRAẞE", "strasse"),
        ("Ærøskøbing", "aeroskobing"),
        ("Đorđe", "dorde"),
        ("İstanbul", "istanbul"),
        ("ısparta", "isparta"),
        ("Œuvre", "oeuvre"),
        ("Þór", "thor"),
        ("ΟΔΟΣ", "οδοσ"),
        ("Ｚｏｅ　１２", "zoe 12"),
        ("ﬁre", "fire"),
        ("지우", "지우"),
        ("\u110c\u1175\u110b\u116e", "지우"),  # as consonants and vowels
        ("ガンダム", "ガンダム"),
        ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
        ("हिन्दी", "हिन्दी"),
        ("  a \t b\n", "a b"),
        ("z\u200bo\u00ade\ufe0f", "zoe"),
        ("\u202eevil\u202c", "evil"),
        ("O’Neill", "o'neill"),
        ("\u3164", ""),
        ("", ""),
    ],
)
def test_a_name_is_folded(name: str, folded: str) -> None:
    assert fold(name) == folded


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(texts)
def test_capitals_do_not_matter(text: str) -> None:
    assert fold(text.casefold()) == fold(text)


def test_a_column_holds_no_more_than_it_can_and_nothing_of_nobody() -> None:
    assert folded_name("") is None
    long = folded_name("ﷺ" * 100)
    assert long is not None
    assert len(long) <= MAX_LENGTH
    assert fold(long) == long


@given(texts, texts)
def test_what_begins_so_stands_between_the_bounds_byte_by_byte(start: str, rest: str) -> None:
    folded = fold(start)
    if folded:
        low, high = prefix_ranges(folded)[0]
        assert low.encode() <= (low + rest).encode(errors="ignore")
        if folded == low:
            assert (folded + rest).encode(errors="ignore") < high.encode()


@pytest.mark.parametrize(
    ("typed", "name", "found"),
    [
        ("zo", "Zoë", True),
        ("zoe", "Zo", False),
        ("zp", "Zoë", False),
        ("지", "지우", True),
        ("기", "김민지", True),
        ("김ㅁ", "김민지", True),
        ("ㄱ", "김민지", True),
        ("ㄴ", "김민지", False),
        ("ㅋ", "ㅋㅋㅋ왕", True),
        ("ㅋㅋ", "ㅋㅋㅋ왕", True),
        ("ㅋㅋㅋ", "ㅋㅋㅋ왕", True),
        ("ㅋㅋㅋㅇ", "ㅋㅋㅋ왕", True),
        ("ㅋㅋㅋ왕", "ㅋㅋㅋ왕", True),
        ("ㅋㅋㅋㅋ", "ㅋㅋㅋ왕", False),
        ("ㅎ", "ㅋㅋㅋ왕", False),
        ("김", "기민지", False),
        ("가", "개", False),
        ("힣", "힣a", True),
    ],
)
def test_a_beginning_finds(typed: str, name: str, found: bool) -> None:
    assert begins_with(fold(name), prefix_ranges(fold(typed))) is found


def test_one_letter_is_enough_where_it_is_a_syllable() -> None:
    assert [each for each in ("a", "é", "1", "ab", "지", "ㅈ", "山", "ガ", "") if is_searchable(fold(each))] == [
        "ab", "지", "ㅈ", "山", "ガ",
    ]  # fmt: skip  # as a table
