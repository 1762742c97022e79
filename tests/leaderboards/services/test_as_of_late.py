"""What a submission remembers of the last seconds, and what refuses it where another process has changed that since.

Another process is SQL and Redis changed behind this one's back: nothing tells its memory.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock, redis
from foundation.sql import LATELY_SECONDS
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Board, Period, Player, Standing, State
from leaderboards.selectors.periods import period_by_label
from leaderboards.services import erase
from leaderboards.services.boards import retire, save_board
from leaderboards.services.decide_redis import forget_bans
from leaderboards.services.settle import settle_due
from leaderboards.stores.zset_settling import ZsetSettler
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, redis_client, score

pytestmark = pytest.mark.django_db(transaction=True)


def told(board: Board, points: int = 1, at: Any = NOON, player: str = "a") -> str:
    (outcome,) = score(board, {player: points}, at)
    return outcome.code or outcome.status.value


def queries(board: Board, points: int) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert told(board, points) == "updated"
    return len(asked)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that have passed for what is remembered."""
    passed, monotonic = [0.0], clock.monotonic
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + passed[0])
    return passed


@pytest.fixture
def hooks() -> Iterator[None]:
    known = list(erase._first)
    yield
    erase._first[:] = known


def test_a_redis_board_is_written_without_asking_sql(links: None) -> None:
    board = make_board("redis")
    told(board)

    assert queries(board, 2) == 0


def test_what_another_process_closed_takes_nothing(links: None) -> None:
    for storage in ("sql", "hybrid", "redis"):
        board = make_board(storage)
        assert told(board) == "updated"
        Period.objects.filter(pk=period_of(board).pk).update(state=State.CLOSING)
        if storage == "redis":
            ZsetSettler(redis.boards()).close(period_of(board))

        assert told(board, 2) == "period_closed"


def test_what_another_process_settled_is_looked_at_again_once(links: None) -> None:
    board = make_board("redis")
    told(board)
    before = period_of(board).generation
    Period.objects.filter(pk=period_of(board).pk).update(stale_since=NOON)
    settle_due(NOON)

    first, then = queries(board, 2), queries(board, 3)

    assert period_of(board).generation > before
    assert (first > 0, then) == (True, 0)


def test_what_redis_lost_takes_nothing_until_it_is_settled(links: None) -> None:
    board = make_board("redis")
    told(board)
    with redis_client() as client:
        client.flushdb()

    assert told(board, 2) == "unavailable"


def test_a_ban_of_another_process_is_heard_of_within_seconds(links: None, later: list[float]) -> None:
    board = make_board("redis")
    told(board)
    told(board, 2)
    Player.objects.get_or_create(external_id="a")
    Player.objects.filter(external_id="a").update(banned_at=NOON)

    at_once = told(board, 3)
    later[0] += LATELY_SECONDS

    assert (at_once, told(board, 4)) == ("updated", "banned")


def test_a_ban_of_this_process_counts_at_once(links: None) -> None:
    board = make_board("redis")
    told(board)
    Player.objects.update_or_create(external_id="a", defaults={"banned_at": NOON})

    forget_bans()

    assert told(board, 2) == "banned"


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_board_retired_in_this_process_is_so_at_once(links: None, storage: str) -> None:
    board = make_board(storage, period="all_time")
    told(board)

    retire(board, NOON)

    assert told(board, 2) == "period_closed"


def test_a_period_opens_with_the_rules_of_its_moment_and_not_of_late(links: None) -> None:
    board = make_board("redis")
    told(board)
    Period.objects.filter(board=board, starts_at__gt=NOON).delete()
    Board.objects.filter(pk=board.pk).update(maximum=7)

    outcome = told(board, 9, NOON + DAY)

    assert outcome == "out_of_range"
    assert told(board, 9, NOON) == "updated"


def test_rules_that_changed_just_before_the_start_count_from_the_start(links: None) -> None:
    board = make_board("redis")
    following = Period.objects.get(board=board, starts_at__gt=NOON)
    assert period_by_label(board, following.label) == following  # a page was asked for it
    following.rules_json["maximum"] = 7
    following.save()

    assert told(board, 9, following.window.starts_at) == "out_of_range"


def test_a_period_of_this_process_takes_over_changed_rules_at_once(links: None) -> None:
    board = make_board("redis")
    told(board, 9, NOON + DAY)
    board.maximum = 7
    save_board(board, NOON)

    assert told(board, 10, NOON + DAY) == "out_of_range"


def test_whoever_is_let_in_once_more_before_his_ban_is_heard_of_keeps_his_name_until_it_is_run_again(
    links: None, hooks: None
) -> None:
    board = make_board("redis")
    told(board, 5)
    follow(period_of(board))
    rows = Standing.objects.filter(player__external_id="a")

    def comes_back(*_: object) -> None:
        rows.update(score=1.0, member="a")

    erase.first(comes_back)
    with pytest.raises(StorageUnavailable):
        erase.erase_player("a", NOON + timedelta(hours=1))

    assert Player.objects.filter(external_id="a").exists()
