"""Which boards may have tables of their own, which may delete old periods, and when a change of that takes effect."""

from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from foundation import clock
from leaderboards.core.periods import latest_window
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import cancel_changes, pending_changes
from leaderboards.services.periods.open import open_board
from tests.leaderboards.services.site import NOON, score

pytestmark = pytest.mark.django_db
POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has none")


def applied(at: datetime = NOON, **settings: Any) -> Board:
    apply_boards([{"name": "Large", "period": "day", **settings}], at)
    return Board.objects.get(name="Large")


def own(board: Board) -> list[bool]:
    """Of each period, the earliest first, whether it has tables of its own."""
    return [period.has_own_tables for period in board.periods.order_by("starts_at")]


@POSTGRESQL
@pytest.mark.parametrize(
    ("settings", "field", "why"),
    [
        ({"own_tables": True, "storage": "dynamodb"}, "own_tables", "DynamoDB"),
        ({"own_tables": True, "period": "event"}, "own_tables", "Competitions"),
        ({"own_tables": "perhaps"}, "own_tables", "own_tables"),
        ({"keep_periods_days": 30, "period": "event"}, "keep_periods_days", "competitions"),
        ({"keep_periods_days": 0}, "keep_periods_days", "keep_periods_days"),
    ],
)
def test_what_a_board_cannot_have_is_refused_when_it_is_saved(settings: dict[str, Any], field: str, why: str) -> None:
    with pytest.raises(BadBoard) as refused:
        applied(**settings)

    assert refused.value.field == field
    assert why in refused.value.detail
    assert not Board.objects.exists()


@pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL has them")
def test_another_database_has_no_tables_for_each_period() -> None:
    with pytest.raises(BadBoard, match="Only PostgreSQL"):
        applied(own_tables=True)


@POSTGRESQL
@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_each_period_of_a_board_that_asks_has_tables_of_its_own(storage: str) -> None:
    assert own(applied(storage=storage, own_tables=True)) == [True, True]
    apply_boards([{"name": "Usual", "period": "day", "storage": storage}], NOON)
    assert own(Board.objects.get(name="Usual")) == [False, False]


@POSTGRESQL
def test_a_change_waits_for_the_next_period_and_can_be_cancelled() -> None:
    at = clock.now()
    board = applied(at)

    changed = applied(at, own_tables=True)

    assert own(board) == [False, True]
    assert pending_changes(changed, at) == {"own_tables": True}
    cancel_changes(changed, at)
    open_board(changed, at)
    assert own(board) == [False, False]
    assert pending_changes(changed, at) == {}


@POSTGRESQL
def test_an_all_time_board_keeps_what_it_opened_with() -> None:
    applied(period="all_time", own_tables=True)

    with pytest.raises(BadBoard, match="cannot change once a period exists"):
        applied(period="all_time", own_tables=False)


@POSTGRESQL
def test_a_running_period_keeps_its_scores_where_they_are() -> None:
    board = applied(clock.now())
    score(board, {"ann": 7}, clock.now())

    applied(clock.now(), own_tables=True)
    score(board, {"bob": 9}, clock.now())

    running = Period.objects.get(board=board, label=latest_window(board.calendar, clock.now()).label)
    assert not running.has_own_tables
    assert running.standings.count() == 2
