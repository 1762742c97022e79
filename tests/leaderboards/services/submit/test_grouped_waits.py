"""A company waits for nobody's lock: only they wait whose it is, each alone."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from foundation import clock
from leaderboards.models import Board, Standing
from tests.leaderboards.services.joining import LONG, Company, entry
from tests.leaderboards.services.site import NOON, make_board, period_of, points, score
from tests.locked import locked, making, only_postgresql


def held_standing(board: Board) -> AbstractContextManager[None]:
    score(board, {"ann": 1})
    return locked(Standing.objects.filter(period=period_of(board), player__external_id="ann"))


def newcomer_of_another(_board: Board) -> AbstractContextManager[None]:
    return making("ann")


@only_postgresql
@pytest.mark.parametrize("hinders", [held_standing, newcomer_of_another])
@pytest.mark.parametrize("storage", ["sql", "hybrid"])
def test_what_somebody_else_holds_is_waited_for_by_nobody_but_its_player(
    monkeypatch: pytest.MonkeyPatch, storage: str, hinders: Callable[[Board], AbstractContextManager[None]]
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    sent, board = Company(monkeypatch), make_board(storage)
    score(board, {"first": 1, "bob": 1})
    hindrance = hinders(board)

    sent.hold(board.seq)
    held, *others = [sent.send(entry(board, player, 5)) for player in ("ann", "bob", "new")]
    with hindrance:
        began = time.monotonic()
        sent.let_go()
        said = [each.result(LONG)[0].status.value for each in others]
        taken = time.monotonic() - began
        assert not held.done()

    assert said == ["updated", "updated"]
    assert taken < 1.0
    assert held.result(LONG)[0].status.value == "updated"
    assert points(board, NOON) == {"first": 1, "ann": 5, "bob": 5, "new": 5}
