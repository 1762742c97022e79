"""Races in a chosen order: what may happen between two steps is made to happen there, in another thread.

Each meets one protection by the very interleaving that it is for, which load meets only by chance
(`tests/faults/mutants/`). They need PostgreSQL: on SQLite writers take turns.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from foundation.redis import client as redis
from foundation.redis.client import RedisSilent
from foundation.redis.connection import RedisConnection
from foundation.sync import barrier
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.submissions import Outcome
from leaderboards.models import Board, Period, PeriodState
from leaderboards.services.sync import mirror as mirroring
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.resync_periods import PeriodResync
from leaderboards.stores.redis.sync import ZsetSync
from tests.at_once import at_once
from tests.faults.world import wait_until
from tests.leaderboards.services import site
from tests.leaderboards.services.site import NOON, in_redis, in_sql, make_board, period_of, points, redis_client
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite writers take turns"),
]

Elsewhere = Callable[[Callable[[], Any]], Future]


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Does something in a thread with an SQL connection of its own."""

    with ThreadPoolExecutor(1) as pool:
        yield lambda act: pool.submit(lambda: at_once([act])[0])


def just_before(monkeypatch: pytest.MonkeyPatch, owner: object, step: str, act: Callable[[], object]) -> None:
    """Let ``act`` happen once, before the next call of ``step``."""
    real = getattr(owner, step)

    def interrupted(*args: Any) -> Any:
        monkeypatch.setattr(owner, step, real)
        act()
        return real(*args)

    monkeypatch.setattr(owner, step, interrupted)


def scored(board: Board, player: str, number: int) -> Outcome:
    [outcome] = site.score(board, {player: number})
    return outcome


def asked(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()[0][0]


def test_a_settler_who_was_rolled_back_cannot_put_back_what_has_moved_on(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board("redis", update="increment")
    period = site.crowd(board, 3)
    with redis_client() as client:
        client.flushdb()
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    backend = connection.connection.info.backend_pid

    def rolled_back_and_settled_by_another() -> None:
        assert asked(f"SELECT pg_terminate_backend({backend}, 5000)")  # what he was at is rolled back
        Period.objects.update(lease_expires_at=None)  # his lease runs out
        assert PeriodResync(period).resync()
        assert scored(board, "p0", 1000).status == "updated"

    just_before(monkeypatch, ZsetSync, "restore", lambda: elsewhere(rolled_back_and_settled_by_another).result())
    with pytest.raises((StaleGeneration, OperationalError)):  # whichever of the two servers refuses first
        PeriodResync(period).resync()
    connection.close()

    mirror(period_of(board))
    assert in_redis(period) == in_sql(period)
    assert points(board)["p0"] == 1001


def test_a_mirror_that_was_overtaken_writes_nothing_that_is_old(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board("redis", update="increment")
    period = period_of(board)
    scored(board, "a", 1)

    def overtaken() -> None:
        scored(board, "a", 10)
        mirror(period_of(board))

    just_before(monkeypatch, mirroring, "player_ids_by_external_id", lambda: elsewhere(overtaken).result())
    mirror(period)

    assert in_redis(period) == in_sql(period)
    assert points(board) == {"a": 11}


def test_a_writer_who_waited_for_closing_is_refused(elsewhere: Elsewhere) -> None:
    board = make_board("hybrid")
    period = period_of(board)
    scored(board, "a", 1)  # known from now on: for a newcomer the period is looked at twice
    before = in_sql(period)

    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        Period.objects.filter(pk=period.pk).update(state=PeriodState.CLOSING)
        writer = elsewhere(lambda: scored(board, "a", 2))
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        wait_until(lambda: writer.done() or asked(waiting) > 0, "a writer at the barrier, or past it")

    assert (writer.result().status, writer.result().code) == ("rejected", "period_closed")
    assert in_redis(period) == in_sql(period) == before


def test_a_command_whose_answer_is_lost_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    link = redis.resync_client()
    link.call("PING")  # connected and greeted
    exchange = RedisConnection.exchange

    def lost(*args: Any) -> None:
        monkeypatch.setattr(RedisConnection, "exchange", exchange)
        exchange(*args)
        raise BlockingIOError  # as a blocking socket says that its time is up

    monkeypatch.setattr(RedisConnection, "exchange", lost)
    with pytest.raises(RedisSilent):
        link.call("INCR", "counted")

    link.reset()  # its breaker is open, which would be so for as long as a later test stops the clock
    with redis_client() as client:
        assert client.get("counted") == b"1"
