"""Plain computation, by hand: what is heard of results that follow each other, and results that do not check out."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from competitions.management.expected import Prize, Result, broken, lost, outcomes

AT = datetime(2026, 3, 1, 20, tzinfo=UTC)
PRIZES = (Prize("Gold", "rank", 1), Prize("Silver", "rank", 2, from_rank=2), Prize("Nine", "points", 9))


def result(*order: str, gold: str, listeners: str) -> Result:
    return Result(AT, {player: rank for rank, player in enumerate(order, 1)}, frozenset({("Gold", gold)}), listeners)


def heard(*results: Result) -> set[tuple[str, str, str]]:
    return {(each.kind, each.player, each.about) for each in outcomes(results, PRIZES)}


def test_of_each_result_those_hear_whose_place_is_new_or_another_and_who_wins_and_loses() -> None:
    first = result("a", "b", "c", gold="a", listeners="abcd")
    appealed = result("x", "b", "a", gold="x", listeners="abcdx")

    assert heard(first) == {
        ("result", "a", "none to 1"),
        ("result", "b", "none to 2"),
        ("result", "c", "none to 3"),
        ("rewarded", "a", "Gold"),
    }
    assert heard(first, appealed) - heard(first) == {
        ("result_changed", "a", "1 to 3"), ("result_changed", "c", "3 to none"), ("result", "x", "none to 1"),
        ("rewarded", "x", "Gold"), ("reward_revoked", "a", "Gold"),
    }  # fmt: skip  # as a table
    assert heard(first, first) == heard(first)


def test_a_prize_in_the_place_of_another_of_its_kind_is_heard_as_one_thing() -> None:
    def won(*pairs: tuple[str, str]) -> Result:
        return Result(AT, {"a": 1, "b": 2}, frozenset(pairs), "")

    results = [won(("Gold", "a"), ("Silver", "b"), ("Nine", "b")), won(("Gold", "b"), ("Nine", "a"))]

    assert heard(*results) - heard(results[0]) == {
        ("reward_changed", "b", "Silver to Gold"),
        ("reward_revoked", "b", "Nine"),
        ("reward_revoked", "a", "Gold"),
        ("rewarded", "a", "Nine"),
    }
    assert set(lost(results)) == {("Gold", "a"), ("Silver", "b"), ("Nine", "b")}


def document(number: int, before: str, **more: Any) -> bytes:
    rest = json.dumps({"revision": number, "previous_hash": before, **more}, separators=(",", ":")).encode()
    unsigned = b'{"content_hash":"' + b'",' + rest[1:]
    return unsigned[:17] + hashlib.sha256(unsigned).hexdigest().encode() + unsigned[17:]


def digits(one: bytes) -> str:
    return one[17:81].decode()


FIRST = document(1, "")
SECOND = document(2, digits(FIRST))


@pytest.mark.parametrize(
    ("documents", "wrong"),
    [
        ([], 0),
        ([FIRST, SECOND], 0),
        ([FIRST.replace(b'"revision":1', b'"revision": 1'), SECOND], 1),  # a blank more
        ([FIRST, SECOND[:17] + b"0" * 64 + SECOND[81:]], 1),
        ([SECOND], 1),  # it follows one that is not there
        ([FIRST, document(2, "0" * 64)], 1),
        ([FIRST, document(3, digits(FIRST))], 1),
        ([b"no result"], 1),
    ],
)
def test_a_result_checks_out_by_its_own_bytes_and_follows_the_one_before(documents: list[bytes], wrong: int) -> None:
    assert broken(documents) == wrong
