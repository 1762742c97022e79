"""Setting and changing a board's schedule: windows that have begun stay, later ones follow it."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from foundation import clock
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import cancel_changes, pending_changes, save_board
from leaderboards.services.periods.open import open_board, open_due
from tests.leaderboards.services.periods.arena import ARENA, MINUTE, STORAGES, TODAY, TOMORROW, arena, send
from tests.leaderboards.services.site import DAY, NOON, redis_client

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract, pytest.mark.usefixtures("opening")]


HOUR = timedelta(hours=1)


CLOSED = NOON + 3 * HOUR


@STORAGES
def test_a_changed_schedule_leaves_the_open_window_and_replaces_the_ones_to_come(storage: str) -> None:
    board = arena(storage)
    send(board, "ann", 5, NOON + MINUTE)
    at = NOON + HOUR

    with time_machine.travel(at, tick=False):
        apply_boards([{"name": board.name, "schedule": "0 20 * * *", "open_minutes": 60}], at)
        board.refresh_from_db()
        pending = pending_changes(board, at)

    tonight = f"{NOON:%Y-%m-%d}-2000"
    assert pending == {"schedule": "0 20 * * *", "open_minutes": 60}
    assert set(Period.objects.filter(board=board).values_list("label", flat=True)) == {TODAY, tonight}
    if storage != "sql":
        with redis_client() as client:
            assert not client.keys(f"*LeaderBoard_{board.seq}_{TOMORROW}*")
    assert send(board, "bob", 7, NOON + 2 * HOUR - MINUTE).period == TODAY
    assert send(board, "bob", 7, CLOSED).opens_at == NOON + 8 * HOUR
    assert send(board, "bob", 7, NOON + 8 * HOUR).period == tonight
    assert send(board, "bob", 7, NOON + DAY).code == "not_open"
    assert pending_changes(board, NOON + 8 * HOUR) == {}


@STORAGES
def test_a_change_of_the_schedule_can_be_cancelled(storage: str) -> None:
    board, at = arena(storage), NOON + HOUR
    with time_machine.travel(at, tick=False):
        apply_boards([{"name": board.name, "schedule": "0 20 * * *"}], at)
        board.refresh_from_db()

        cancel_changes(board, at)
        open_due(at)

    board.refresh_from_db()
    assert (board.schedule, board.open_minutes, board.past_schedules) == ("0 12 * * *", 120, [])
    assert send(board, "ann", 5, NOON + DAY).period == TOMORROW
    assert not Period.objects.filter(board=board, label__endswith="-2000").exists()


def test_a_schedule_that_never_took_effect_is_forgotten() -> None:
    board, at = arena("sql"), NOON + HOUR
    with time_machine.travel(at, tick=False):
        for expression in ("0 20 * * *", "0 21 * * *"):
            apply_boards([{"name": board.name, "schedule": expression}], at)

    board.refresh_from_db()
    [past] = board.past_schedules
    assert (past["schedule"], past["open_minutes"]) == ("0 12 * * *", 120)
    assert past["until"] == (NOON + 2 * HOUR).isoformat()


def test_a_window_that_opens_within_a_minute_opens_as_it_was_announced() -> None:
    board, at = arena("sql"), NOON + DAY - MINUTE / 2
    with time_machine.travel(at, tick=False):
        apply_boards([{"name": board.name, "schedule": "0 20 * * *"}], at)

    board.refresh_from_db()
    assert send(board, "ann", 5, NOON + DAY + HOUR).period == TOMORROW
    assert send(board, "ann", 5, NOON + DAY + 8 * HOUR).period == f"{NOON + DAY:%Y-%m-%d}-2000"


def test_a_longer_opening_moves_the_end_of_windows_that_have_not_begun() -> None:
    board, at = arena("hybrid"), NOON + HOUR
    with time_machine.travel(at, tick=False):
        apply_boards([{"name": board.name, "open_minutes": 180}], at)

    ends = dict(Period.objects.filter(board=board).values_list("label", "ends_at"))
    assert ends == {TODAY: NOON + 2 * HOUR, TOMORROW: NOON + DAY + 3 * HOUR}


@STORAGES
def test_a_window_that_was_opened_ahead_and_now_ends_otherwise_is_opened_anew(storage: str) -> None:
    """Also without a worker in the window before: the ties of first come would go by the old end."""
    board = arena(storage, open_minutes=30)
    board.schedule, board.open_minutes = "0 10,12 * * *", 120
    save_board(board, NOON + HOUR)

    open_board(board, NOON + HOUR)

    tomorrow = Period.objects.filter(board=board, label=TOMORROW).first()
    assert tomorrow is None or tomorrow.ends_at == NOON + DAY + 2 * HOUR


@STORAGES
def test_a_worker_that_read_the_board_before_its_change_opens_no_window_of_before(storage: str) -> None:
    board = arena(storage)
    read_before = Board.objects.get()
    board.schedule, board.open_minutes = "0 18 * * *", 60
    save_board(board, CLOSED)
    open_board(board, CLOSED)

    open_board(read_before, CLOSED)

    later = Period.objects.filter(board=board, starts_at__gt=CLOSED)
    assert [period.label for period in later] == [f"{NOON:%Y-%m-%d}-1800"]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"schedule": "0 25 * * *"}, "schedule"),
        ({"schedule": ""}, "schedule"),
        ({"schedule": "* * * * *"}, "schedule"),
        ({"open_minutes": 1500}, "open_minutes"),
        ({"open_minutes": 0}, "open_minutes"),
        ({"period": "day"}, "schedule"),
        ({"period": "day", "schedule": ""}, "open_minutes"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_before_anything_is_saved(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(BadBoard) as refused:
        apply_boards([{"name": "Arena"} | ARENA | settings], clock.now())

    assert refused.value.field == field
    assert not Board.objects.filter(name="Arena").exists()


def test_the_kind_of_a_board_with_periods_never_changes_to_a_schedule_or_back() -> None:
    board = arena("sql")
    board.period, board.schedule, board.open_minutes = "day", "", None

    with pytest.raises(BadBoard, match="`period` cannot change"):
        save_board(board)


def test_blanks_of_an_expression_are_made_one() -> None:
    assert arena("sql", schedule="  0  12 * *   * ").schedule == "0 12 * * *"
