"""Metadata: exact numbers as they were sent, or a refusal."""

import pytest

from leaderboards.core.input.json_body import read_json
from leaderboards.core.input.metadata import read_metadata
from leaderboards.errors import BadEntry


@pytest.mark.parametrize("text", ["0.1", "1E+2", "123456789012345678901234567890", "1E+999999", "1E-999999", "-0.0"])
def test_a_number_is_returned_as_it_was_sent(text: str) -> None:
    kept = read_metadata(read_json(f'{{"k": {text}}}'.encode()))

    assert str(read_json(kept.encode())["k"]) == text  # type: ignore[index]  # the value is a JSON object


def nested(levels: int, innermost: object) -> object:
    """Objects within each other: the innermost holds the value, or is the value if that is one itself."""
    value = innermost
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize("deep", [nested(16, 1), nested(15, {}), nested(15, []), nested(15, [1])])
def test_sixteen_levels_are_taken_whatever_the_innermost_holds(deep: object) -> None:
    assert read_json(read_metadata(deep).encode()) == deep


@pytest.mark.parametrize("deep", [nested(17, 1), nested(16, {}), nested(16, []), nested(16, [1])])
def test_a_seventeenth_level_is_refused_even_if_it_is_empty(deep: object) -> None:
    with pytest.raises(BadEntry, match="more than 16 levels"):
        read_metadata(deep)


@pytest.mark.parametrize("text", ["1e99999999999", "1e-99999999999", "1e1000000", "-1e1000000"])
def test_a_number_that_no_reader_keeps_exact_is_refused(text: str) -> None:
    with pytest.raises(BadEntry, match="send it as a text"):
        read_metadata(read_json(f'{{"k": {text}}}'.encode()))
