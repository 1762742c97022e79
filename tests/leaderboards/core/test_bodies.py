"""JSON bodies with exact numbers."""

from decimal import Decimal

import pytest

from leaderboards.core.bodies import Ambiguous, read_json


def test_numbers_arrive_exact() -> None:
    read = read_json(b"[1, -7, 0.1, 1e2, 1.10, 9007199254740993, 123456789012345678901234567890]")

    assert read == [
        1,
        -7,
        *(Decimal(text) for text in ("0.1", "100", "1.10")),
        9007199254740993,
        Decimal("123456789012345678901234567890"),
    ]
    assert isinstance(read, list)
    assert not any(isinstance(number, float) for number in read)


def test_a_number_of_any_length_is_read_at_once() -> None:
    read = read_json(b'{"points": %s, "more": 1e99999999999999999999}' % (b"9" * 900_000))

    assert isinstance(read, dict)
    assert read["points"].adjusted() == 899_999
    assert read["more"].adjusted() > 10**8


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"NaN", "NaN is no JSON number"),
        (b'{"points": Infinity}', "Infinity is no JSON number"),
        (b"[-Infinity]", "-Infinity is no JSON number"),
        (b"", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b"[1,]", "not JSON"),
        (b"01", "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"[" * 500_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_with_a_sentence(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(body)


def test_an_object_in_which_a_name_stands_twice_is_marked() -> None:
    read = read_json(b'[{"player": "a", "player": "b"}, {"player": "a"}]')

    assert [isinstance(each, Ambiguous) for each in read] == [True, False]  # type: ignore[attr-defined]  # a list
