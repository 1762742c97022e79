"""What a comment may say, and until when."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions.core.comments import LONGEST, MOST_LINES, closes_at, digest, read_text
from competitions.errors import BadComment

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Hello \n", "Hello"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\tb", "a b"),
        ("e\u0301", "\u00e9"),
        ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
        ("x" * LONGEST, "x" * LONGEST),
        ("\n".join("x" * MOST_LINES), "\n".join("x" * MOST_LINES)),
    ],
)
def test_a_text_is_kept_in_one_form(typed: str, kept: str) -> None:
    assert read_text(typed) == kept
    assert read_text(kept) == kept


def test_what_cannot_be_kept_is_refused_by_name() -> None:
    for reason, texts in {
        "empty": ("", " \r\n\t", "\u200b\u200d\u202e"),
        "long": ("x" * (LONGEST + 1),),
        "lines": ("\n".join("x" * (MOST_LINES + 1)),),
        "turning": tuple(f"a{turn}b" for turn in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
        "unprinted": ("a\x00b", "a\ud800b", "a\u2028b", "a\x85b"),
    }.items():
        for typed in texts:
            with pytest.raises(BadComment) as refused:
                read_text(typed)
            assert refused.value.reason == reason, ascii(typed)


def test_two_posts_are_one_if_form_and_text_are_the_same() -> None:
    assert digest("a", "text") == digest("a", "text")
    assert len({digest("a", "text"), digest("b", "text"), digest("a", "other"), digest("\ud800", "text")}) == 4


def test_it_closes_thirty_days_after_what_the_public_knows_as_the_end() -> None:
    assert closes_at(NOON, None) == NOON + timedelta(days=30)
    assert closes_at(NOON, NOON - timedelta(days=3)) == NOON + timedelta(days=27)
