"""Numbers in addresses and forms: digits alone, and no more than SQL takes."""

import pytest

from foundation.numbers import DIGITS, whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * DIGITS, 10**DIGITS - 1)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number < 2**63


@pytest.mark.parametrize("text", [None, "", "x", "-1", "+1", "1.0", " 1", "1_0", "²", "9" * (DIGITS + 1), "9" * 5000])
def test_whatever_else_is_none(text: str | None) -> None:
    assert whole_number(text) is None


def test_fewer_digits_may_be_asked_for() -> None:
    assert (whole_number("12", digits=2), whole_number("123", digits=2)) == (12, None)
