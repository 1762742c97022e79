"""Boards of a schedule: an arena that is open each day from 12:00 to 14:00, and what happens between two windows."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from foundation import clock
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.errors import BadBoard, PeriodClosed, UnknownPeriod
from leaderboards.models import Board, Period
from leaderboards.services.boards import apply_boards, cancel_changes, pending_changes, retire, save_board
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_board, open_due
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.submit.pipeline import backfill, submit
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, redis_client

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract]

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
ARENA: dict[str, Any] = {"period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120, "timezone": "UTC"}
TODAY, TOMORROW = f"{NOON:%Y-%m-%d}-1200", f"{NOON + DAY:%Y-%m-%d}-1200"
CLOSED = NOON + 3 * HOUR


@pytest.fixture(autouse=True)
def _opening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(clock, "_compare_with_sql", lambda: (clock.now(), timedelta()))  # SQL's clock goes with ours
    with time_machine.travel(NOON + MINUTE, tick=False):
        yield


def send(board: Board, player: str, points: int, received: Any, **more: Any) -> Outcome:
    entry = read_entry({"board": board.seq, "player": player, "points": points, **more}, 0)
    return submit([entry], Caller("tests"), received)[0]


def arena(storage: str, **more: Any) -> Board:
    return make_board(storage, at=NOON + MINUTE, **(ARENA | more))


@STORAGES
def test_scores_count_while_a_window_is_open_and_are_refused_between_two_windows(storage: str) -> None:
    board = arena(storage)

    first = send(board, "ann", 5, NOON)
    last = send(board, "bob", 7, NOON + 2 * HOUR - MINUTE)
    late = send(board, "cat", 9, NOON + 2 * HOUR)
    early = send(board, "cat", 9, NOON - MINUTE)
    again = send(board, "cat", 9, NOON + DAY)

    assert [(each.status, each.period) for each in (first, last, again)] == [
        ("updated", TODAY),
        ("updated", TODAY),
        ("updated", TOMORROW),
    ]
    assert (late.status, late.code, late.opens_at) == ("rejected", "not_open", NOON + DAY)
    assert late.detail is not None
    assert f"the next one starts on {NOON + DAY:%Y-%m-%d %H:%M:%S} UTC" in late.detail
    assert (early.code, early.opens_at) == ("not_open", NOON)
    assert not Period.objects.filter(board=board).exclude(label__in=[TODAY, TOMORROW]).exists()


@STORAGES
def test_what_happened_in_the_window_counts_until_its_grace_is_over(storage: str) -> None:
    board = arena(storage)
    happened = (NOON + 2 * HOUR - MINUTE).isoformat()

    in_grace = send(board, "ann", 5, NOON + 2 * HOUR + 30 * timedelta(seconds=1), at=happened)
    over = send(board, "bob", 5, NOON + 2 * HOUR + 2 * MINUTE, at=happened)

    assert (in_grace.status, in_grace.period) == ("updated", TODAY)
    assert over.code == "period_closed"


@STORAGES
def test_a_repetition_is_recognised_between_two_windows(storage: str) -> None:
    board = arena(storage)
    counted = send(board, "ann", 5, NOON + HOUR, id="once")
    follow(Period.objects.get(board=board, label=TODAY))

    repeated = send(board, "ann", 5, CLOSED, id="once")
    other = send(board, "ann", 5, CLOSED, id="twice")

    assert (counted.status, repeated.status, repeated.period) == ("updated", "duplicate", TODAY)
    assert other.code == "not_open"


@STORAGES
def test_the_worker_opens_the_next_window_closes_the_last_and_keeps_its_ranks(storage: str) -> None:
    board = arena(storage)
    send(board, "ann", 5, NOON + HOUR)
    send(board, "bob", 7, NOON + HOUR)

    assert open_due(CLOSED) == 1
    [closed] = close_due(CLOSED)
    with time_machine.travel(CLOSED, tick=False):
        shown = selectors.standings(board)

    assert (closed.label, closed.final, closed.players) == (TODAY, True, 2)
    assert set(Period.objects.filter(board=board).values_list("label", flat=True)) == {TODAY, TOMORROW}
    assert (shown.period.label, shown.period.state) == (TODAY, "final")
    assert [(row.player, row.rank) for row in shown.rows] == [("bob", 1), ("ann", 2)]
    if storage != "sql":
        with redis_client() as client:
            assert client.ttl(f"LeaderBoard_{board.seq}_{TODAY}") > 0
    assert expire_due(CLOSED + 40 * DAY) == 1


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_redis_and_sql_agree_on_a_window(storage: str) -> None:
    board = arena(storage)
    send(board, "ann", 5, NOON + HOUR)
    period = Period.objects.get(board=board, label=TODAY)
    follow(period)

    assert [(each.label, each.differences) for each in verify_all(clock.now(), 9, repair=False, seq=board.seq)] == [
        (TODAY, 0)
    ]


def test_current_and_previous_are_the_windows_that_were_open_last() -> None:
    board = arena("sql")
    send(board, "ann", 5, NOON + HOUR)

    def named(name: str, at: Any) -> str:
        return selectors.find_period_info(board, name, at).label

    yesterday = f"{NOON - DAY:%Y-%m-%d}-1200"
    assert (named("current", NOON), named("previous", NOON)) == (TODAY, yesterday)
    assert (named("current", CLOSED), named("previous", CLOSED)) == (TODAY, yesterday)
    assert (named("current", NOON + DAY), named("previous", NOON + DAY)) == (TOMORROW, TODAY)
    with pytest.raises(UnknownPeriod):
        named(TOMORROW, CLOSED)
    shown = selectors.find_period_info(board, "current", CLOSED)
    assert selectors.opening(board, shown, CLOSED) == NOON + DAY
    assert selectors.opening(board, shown, NOON + HOUR) is None
    assert selectors.running_window(board, CLOSED) is None


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


@STORAGES
def test_a_player_is_removed_from_no_window_that_is_over(storage: str) -> None:
    board = arena(storage)
    send(board, "ann", 5, NOON + MINUTE)
    with time_machine.travel(CLOSED, tick=False):
        close_due(CLOSED)

        with pytest.raises(PeriodClosed, match=f"Period {TODAY} is closed"):
            remove_player(board, "ann", CLOSED)


def test_a_board_that_is_retired_between_two_windows_opens_no_more() -> None:
    board = arena("sql")
    with time_machine.travel(CLOSED, tick=False):
        retire(board, CLOSED)

    assert board.retired_at == CLOSED
    assert send(board, "ann", 5, NOON + DAY).code == "period_closed"
    shown = selectors.find_period_info(board, "current", CLOSED)
    assert selectors.opening(board, shown, CLOSED) is None


def test_a_backfill_fills_past_windows_and_refuses_what_lies_between_them() -> None:
    board = arena("sql")
    entries = [
        read_entry({"board": board.seq, "player": "ann", "points": 5, "at": each.isoformat()}, nth)
        for nth, each in enumerate((NOON - 9 * DAY, NOON - 9 * DAY + 5 * HOUR))
    ]

    inside, between = backfill(entries, Caller("tests"), NOON)

    assert (inside.status, inside.period) == ("updated", f"{NOON - 9 * DAY:%Y-%m-%d}-1200")
    assert between.code == "not_open"


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
