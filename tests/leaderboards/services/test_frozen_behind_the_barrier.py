"""A Redis that freezes while somebody keeps everybody else out of SQL: he gives up in time, and nothing is changed."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import Board, Period, Player
from leaderboards.services.boards import save_board
from leaderboards.services.periods import reschedule
from leaderboards.services.periods.reschedule import move_end
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync import resync_periods
from leaderboards.services.sync.mirror import mirror
from leaderboards.stores.redis.sync import ZsetSync
from tests.leaderboards.services.contest import ENDS, KnownEvents, send
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of, redis_client, score

pytestmark = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite ends nobody who rests")


@contextmanager
def freezing_at(where: Any, step: str, first: bool) -> Iterator[list[float]]:
    """Redis freezes before that method, or behind it, and goes on after the block; since when."""
    with redis_client() as client:
        server = int(client.info("server")["process_id"])
    action, since = getattr(where, step), []

    def freeze() -> None:
        since.append(time.monotonic())
        os.kill(server, signal.SIGSTOP)

    def frozen(*args: Any, **options: Any) -> Any:
        if first:
            freeze()
        answer = action(*args, **options)
        if not first:
            freeze()
        return answer

    try:
        with patch.object(where, step, frozen):
            yield since
    finally:
        os.kill(server, signal.SIGCONT)


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def refused_in_time(action: Callable[[], Any], settings: Any, where: Any, step: str, first: bool = False) -> None:
    settings.SQL_ALONE_SECONDS = 0.4
    before = backend()
    with freezing_at(where, step, first) as since, pytest.raises(Unavailable):
        action()
    assert time.monotonic() - since[0] < 0.4
    assert backend() == before


def same_course(period: Period) -> None:
    """Redis did nothing when it went on, and is used at once."""
    now = Period.objects.select_related("board").get(pk=period.pk)
    assert (now.generation, now.rules_json, now.ends_at) == (period.generation, period.rules_json, period.ends_at)
    redis.boards().reset()
    redis.exclusive_client().reset()
    assert redis.boards().call("GET", now.family.gen) == str(now.generation).encode()
    resync_periods.resync_due(NOON)
    now.refresh_from_db()
    assert (now.generation, now.stale_since) == (period.generation, None)


@pytest.mark.parametrize("step", ["memory", "deadline"])
def test_a_moved_end(declared: KnownEvents, settings: Any, step: str) -> None:
    board = make_board("redis", period="event", tie_break="score", maximum=1000, total_maximum=1000)
    event = declared.add(board)
    send({"competition": event.number, "player": "a", "points": 5})
    before, period = (Period.objects.select_related("board").get(board=board) for _ in range(2))

    where, named = (ZsetSync, "read_state") if step == "memory" else (reschedule, "_require_mirrored")
    refused_in_time(lambda: move_end(period, ENDS + DAY, NOON), settings, where, named)

    same_course(before)


def test_changed_rules(settings: Any) -> None:
    board = make_board("redis")
    with clock.freeze_at(NOON):
        following = Period.objects.select_related("board").get(board=board, starts_at__gt=NOON)
        board.maximum = 7

        refused_in_time(lambda: save_board(board), settings, ZsetSync, "read_state")

        same_course(following)
    assert Board.objects.get().maximum != 7


def test_an_erasure(settings: Any) -> None:
    board = make_board("redis")
    score(board, {"ann": 1, "bob": 2})
    mirror(period_of(board))

    refused_in_time(lambda: erase_player("bob", NOON), settings, ZsetSync, "knows_player", first=True)

    assert Player.objects.get(external_id="bob").banned_at == NOON
    same_course(period_of(board))
    erase_player("bob", NOON + timedelta(seconds=1))
    assert not Player.objects.filter(external_id="bob").exists()
