"""What a submission remembers of the last seconds, and what refuses it where another process has changed that since.

Another process is SQL and Redis changed behind this one's back: nothing tells its memory.
"""

from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.db.resilience import CACHE_TTL
from foundation.redis import client as redis
from leaderboards.models import Board, Period, PeriodState, Player
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.services.boards import retire, save_board
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.redis.sync import ZsetSync
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of, score


def told(board: Board, points: int = 1, at: datetime = NOON) -> str:
    (outcome,) = score(board, {"a": points}, at)
    return outcome.code or outcome.status.value


def queries(board: Board, points: int) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert told(board, points) == "updated"
    return len(asked)


def scored(storage: str = "redis", **settings: Any) -> Board:
    """A board that this process has written to, and remembers."""
    board = make_board(storage, **settings)
    assert told(board) == "updated"
    return board


@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_what_another_process_closed_takes_nothing(storage: str) -> None:
    board = scored(storage)
    Period.objects.filter(pk=period_of(board).pk).update(state=PeriodState.CLOSING)
    if storage == "redis":
        ZsetSync(redis.boards()).close(period_of(board))

    assert told(board, 2) == "period_closed"


def test_a_redis_board_is_written_without_asking_sql_and_what_another_process_settled_is_looked_at_once() -> None:
    board = scored()
    before, period = queries(board, 2), period_of(board)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    resync_due(NOON)

    first, then = queries(board, 3), queries(board, 4)

    assert period_of(board).generation > period.generation
    assert (before, first > 0, then) == (0, True, 0)


def test_a_ban_of_another_process_is_heard_of_within_seconds_and_of_this_one_at_once() -> None:
    board, monotonic = scored(), clock.monotonic
    Player.objects.update_or_create(external_id="a", defaults={"banned_at": NOON})

    at_once = told(board, 3)
    with patch.object(clock, "monotonic", lambda: monotonic() + CACHE_TTL):
        in_time = told(board, 4)
    Player.objects.update(banned_at=None)
    forget_bans()

    assert (at_once, in_time, told(board, 5)) == ("updated", "banned", "updated")


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_board_retired_in_this_process_is_so_at_once_and_takes_what_belongs_to_its_last_period(storage: str) -> None:
    always, daily = scored(storage, period="all_time"), scored(storage, name="Daily")

    for board in (always, daily):
        retire(board, NOON)

    assert told(always, 2) == "period_closed"
    assert (told(daily, 2), told(daily, 3, NOON + DAY)) == ("updated", "period_closed")


def test_a_period_opens_with_the_rules_of_its_moment_and_not_of_late() -> None:
    board = scored()
    Period.objects.filter(board=board, starts_at__gt=NOON).delete()
    Board.objects.filter(pk=board.pk).update(maximum=7)

    assert told(board, 9, NOON + DAY) == "out_of_range"
    assert told(board, 9, NOON) == "updated"


def test_rules_that_changed_just_before_the_start_count_from_the_start() -> None:
    board = make_board("redis")
    following = Period.objects.get(board=board, starts_at__gt=NOON)
    assert period_by_label(board, following.label) == following  # a page was asked for it
    following.rules_json["maximum"] = 7
    following.save()

    assert told(board, 9, following.window.starts_at or NOON) == "out_of_range"


def test_a_period_of_this_process_takes_over_changed_rules_at_once() -> None:
    board = make_board("redis")
    assert told(board, 2**40, at=NOON + DAY) == "out_of_range"  # so nobody stands there yet
    board.maximum = 7
    with clock.freeze_at(NOON):
        save_board(board)

    assert told(board, 10, NOON + DAY) == "out_of_range"
