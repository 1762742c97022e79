"""The oracle itself, by hand: what every store is compared with must not be wrong."""

import pytest

from leaderboards.core.periods import Calendar, PeriodKind, window_of
from leaderboards.core.ranking.rules import Criterion, Order, Rules, Ties
from tests.oracle import OracleBoard

ALL_TIME = window_of(Calendar(PeriodKind.ALL_TIME), "all")
SENT = [("ann", 5, 30), ("bob", 7, 20), ("cho", 5, 10), ("dan", 5, 10), ("eve", 3, 5)]


def board(**settings: object) -> OracleBoard:
    filled = OracleBoard(Rules(**settings), ALL_TIME)  # type: ignore[arg-type]  # hypothesis drew the settings
    for player, points, at_ms in SENT:
        filled.submit(player, (points,), at_ms)
    return filled


@pytest.mark.parametrize(
    ("order", "ties", "listed"),
    [
        (Order.DESC, Ties.FIRST_COME, "1 bob 2 dan 3 cho 4 ann 5 eve"),
        (Order.DESC, Ties.LAST_COME, "1 bob 2 ann 3 dan 4 cho 5 eve"),
        (Order.DESC, Ties.SHARED, "1 bob 2 dan 2 cho 2 ann 5 eve"),
        (Order.DESC, Ties.DENSE, "1 bob 2 dan 2 cho 2 ann 3 eve"),
        (Order.ASC, Ties.FIRST_COME, "1 eve 2 cho 3 dan 4 ann 5 bob"),
        (Order.ASC, Ties.LAST_COME, "1 eve 2 ann 3 cho 4 dan 5 bob"),
        (Order.ASC, Ties.SHARED, "1 eve 2 ann 2 cho 2 dan 5 bob"),
        (Order.ASC, Ties.DENSE, "1 eve 2 ann 2 cho 2 dan 3 bob"),
    ],
)
def test_equals_stand_by_time_and_then_by_bytes_in_the_boards_direction(order: Order, ties: Ties, listed: str) -> None:
    rows = board(order=order, ties=ties).rows()

    assert " ".join(f"{row.rank} {row.player}" for row in rows) == listed
    assert [row.tied for row in rows] == ([1] * 5 if ties.by_time else [1, 3, 3, 3, 1])


def test_bytes_are_those_of_utf_8() -> None:
    mixed = OracleBoard(Rules(ties=Ties.SHARED, order=Order.ASC), ALL_TIME)
    for player in ("가", "é", "z", "Z", "\U0001f600", "\uffee"):
        mixed.submit(player, (1,), 0)

    assert [row.player for row in mixed.rows()] == ["Z", "z", "é", "가", "\uffee", "\U0001f600"]


def test_the_time_as_a_criterion_ranks_at_its_own_place() -> None:
    criteria = (
        Criterion("stage", 9, Order.DESC),
        Criterion("achieved_at", 2**32 - 1, Order.ASC, "s"),
        Criterion("coins", 9, Order.DESC),
    )
    raid = OracleBoard(Rules(criteria=criteria), ALL_TIME)
    for player, value, at_ms in [("a", (5, 1), 2000), ("b", (5, 9), 3000), ("c", (5, 9), 2000), ("d", (6, 0), 9000)]:
        raid.submit(player, value, at_ms)

    assert [row.player for row in raid.rows()] == ["d", "c", "a", "b"]
