"""Boards of a schedule: an arena that is open each day from 12:00 to 14:00, and what happens between two windows."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from foundation import clock
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import PeriodClosed, UnknownPeriod
from leaderboards.models import Period
from leaderboards.services.boards import retire
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_due
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.submit.pipeline import backfill
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.services.periods.arena import MINUTE, STORAGES, TODAY, TOMORROW, arena, send
from tests.leaderboards.services.site import DAY, NOON, follow, redis_client
from tests.raw import ONE_SERVER

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract, pytest.mark.usefixtures("opening")]

HOUR = timedelta(hours=1)
CLOSED = NOON + 3 * HOUR


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


@ONE_SERVER
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
