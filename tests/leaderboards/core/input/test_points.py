"""Exact decimals, and the JSON bodies that they arrive in."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.input.json_body import DuplicateKeys, read_json
from leaderboards.core.input.points import points_number, points_text, read_points, scaled
from leaderboards.errors import BadPoints, OutOfRange

many_digits = "9" * 100_000


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        *((150, "150"), (-3, "-3"), (Decimal("1.0"), "1.0"), (Decimal("1E+2"), "100"), ("12.50", "12.5"), ("+5", "5")),
        *(("-0.5", "-0.5"), ("1e2", "100"), ("1.5E-1", "0.15"), ("007", "7"), ("0e99999999999999999999", "0")),
    ],
)
def test_numbers_and_decimal_texts_are_read_exactly(raw: object, number: str) -> None:
    assert read_points(raw) == Decimal(number)


@pytest.mark.parametrize(
    "raw",
    [
        *("NaN", "nan", "inf", "-Infinity", "sNaN", "１２", "٣", "1_000", " 1", "1 ", "1\n", "", "+", "-", "."),
        *(".5", "5.", "1e", "e5", "0x10", "1,5", "1,000", "++1", "1e1.5", "twelve", "\ud800", "1\x00"),
        *(True, False, None, [], {}, [1], 1.5, float("nan"), Decimal("NaN"), Decimal("Infinity"), b"1"),
    ],
)
def test_all_else_is_refused(raw: object) -> None:
    with pytest.raises(BadPoints) as caught:
        read_points(raw)

    assert caught.value.detail.encode()


@pytest.mark.parametrize(
    ("text", "decimals", "expected"),
    [
        *(("12.50", 1, 125), ("12.50", 2, 1250), ("1e2", 0, 100), ("1.0", 0, 1), ("-0", 3, 0), ("-1.25", 2, -125)),
        ("7." + "0" * 100_000, 0, 7),
        ("0e999999999", 6, 0),
        (str(2**53 + 1), 0, 2**53 + 1),  # which a float would round
    ],
)
def test_scaling_is_exact_and_zeros_cost_nothing(text: str, decimals: int, expected: int) -> None:
    assert scaled(read_points(text), decimals) == expected


@pytest.mark.parametrize(("text", "decimals"), [("12.5", 0), ("0.001", 2), ("1e-1", 0), ("1e-999999999999", 6)])
def test_more_decimals_than_the_board_has_are_refused(text: str, decimals: int) -> None:
    with pytest.raises(BadPoints, match=r"at most|no decimals"):
        scaled(read_points(text), decimals)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e999999999", "1e99999999999999999999999", many_digits])
def test_what_no_memory_holds_is_refused_without_being_made(text: str) -> None:
    with pytest.raises(OutOfRange):
        scaled(read_points(text), 6)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(1250, 2, "12.5"), (1200, 2, "12"), (-1, 3, "-0.001"), (0, 6, "0"), (-150, 1, "-15"), (5, 0, "5")],
)
def test_points_are_written_without_trailing_zeros(value: int, decimals: int, text: str) -> None:
    number = points_number(value, decimals)

    assert points_text(value, decimals) == text
    assert number == Decimal(text)
    assert "." in text or json.dumps(number) == text  # whole points are whole JSON numbers


@given(st.integers(-(2**53), 2**53), st.integers(0, 6))
def test_what_is_written_is_read_back(value: int, decimals: int) -> None:
    assert scaled(read_points(points_text(value, decimals)), decimals) == value
    assert scaled(read_points(points_number(value, decimals)), decimals) == value


def test_numbers_arrive_exact() -> None:
    read = read_json(b"[1, -7, 0.1, 1e2, 1.10, 9007199254740993, 123456789012345678901234567890]")

    assert isinstance(read, list)
    assert read == [1, -7, *map(Decimal, ("0.1", "100", "1.10", "9007199254740993", "123456789012345678901234567890"))]
    assert not any(isinstance(number, float) for number in read)


def test_a_number_of_any_length_is_read_at_once() -> None:
    read = read_json(b'{"points": %s, "more": 1e99999999999999999999}' % (b"9" * 900_000))

    assert isinstance(read, dict)
    assert read["points"].adjusted() == 899_999
    assert read["more"].adjusted() > 10**8


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        *((text, "is no JSON number") for text in (b"NaN", b'{"points": Infinity}', b"[-Infinity]")),
        *((text, "not JSON") for text in (b"", b"{'a': 1}", b"[1,]", b"01", b"\xef\xbb\xbf{}")),
        *((text, "not UTF-8") for text in (b"\xff\xfe", b'"\xed\xa0\x80"')),
        *((text, "nested too deeply") for text in (b"[" * 500_000, b'{"a":' * 100_000)),
    ],
)
def test_what_is_no_json_is_refused_with_a_sentence(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(body)


def test_an_object_in_which_a_name_stands_twice_is_marked() -> None:
    read = read_json(b'[{"player": "a", "player": "b"}, {"player": "a"}]')

    assert [isinstance(each, DuplicateKeys) for each in read] == [True, False]  # type: ignore[attr-defined]  # `read_json` returns a list for a list
