"""Submitting while Redis is away, or SQL goes away, and what is asked of them once for a whole request."""

from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, connection

from foundation import redis
from foundation.redis import Link, RedisAway, RedisRefused, RedisSilent
from foundation.statements import _Pipelined
from leaderboards.core.periods import Calendar, Window, window_at
from leaderboards.models import Period, Standing, Submission
from leaderboards.services import resolve
from leaderboards.services.settle import settle_due
from tests.contracts.arena import NOW, Sent
from tests.leaderboards.services.sending import IN_REDIS, STORAGES, opened, send, told

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


FAILURES = [RedisAway("away"), RedisSilent("silent"), RedisRefused("OOM command not allowed")]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
class TestRedisAway:
    def test_a_hybrid_board_goes_on_and_is_whole_again_after_settling(
        self, links: None, monkeypatch: pytest.MonkeyPatch, failure: Exception
    ) -> None:
        arena = opened("hybrid")
        arena.send(Sent("a", 5, 10))
        fail(monkeypatch, failure)

        arena.send(Sent("b", 7, 5), Sent("a", 3, 1))

        arena.agree(live=False)
        assert Standing.objects.filter(unput=True).count() == 2
        assert Period.objects.get(pk=arena.period.pk).stale_since == NOW
        monkeypatch.undo()
        settle_due(NOW)
        arena.agree()
        arena.agree_in_sql()

    def test_a_redis_board_says_what_it_knows(
        self, links: None, monkeypatch: pytest.MonkeyPatch, failure: Exception
    ) -> None:
        arena = opened("redis")
        arena.send(Sent("a", 5, 10))
        arena.mirror()
        fail(monkeypatch, failure)

        outcomes = send(arena, {"player": "b", "points": 7}, {"player": "c", "points": -7})

        silent = isinstance(failure, RedisSilent)
        assert told(outcomes) == ["outcome_unknown" if silent else "unavailable", "out_of_range"]
        arena.agree(live=False)
        monkeypatch.undo()
        arena.agree()


def fail(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    def refuse(*_: object) -> None:
        raise failure

    monkeypatch.setattr(Link, "run", refuse)


@IN_REDIS
def test_ranks_are_those_before_and_after_the_whole_request(links: None, storage: str) -> None:
    arena = opened(storage)
    arena.send(Sent("a", 5, 10), Sent("b", 9, 10))

    outcomes = send(arena, {"player": "a", "points": 8}, {"player": "c", "points": 20}, ranks=True)

    assert [(each.rank, each.previous_rank) for each in outcomes] == [(2, 2), (1, None)]


def test_a_closed_port_is_away_at_once_and_then_left_alone(links: None) -> None:
    from redis import ConnectionPool

    link = Link(ConnectionPool.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.2))

    for _ in range(3):
        with pytest.raises(RedisAway):
            link.call("PING")

    assert redis.BREAK_SECONDS == 1.0


@STORAGES
def test_sql_that_goes_away_as_a_period_opens_spoils_no_neighbour(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    arena = opened(storage)
    send(arena, {"player": "a", "points": 1})
    arena.board.periods.filter(starts_at=TURN).delete()

    def gone(*_: object) -> Period:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(resolve, "open_period", gone)
    before = {"player": "a", "points": 2, "at": (TURN - timedelta(seconds=1)).isoformat()}
    outcomes = send(arena, before, {"player": "a", "points": 4}, at=TURN + timedelta(seconds=10))

    assert told(outcomes) == ["updated", "unavailable"]


BY_SQL = pytest.mark.parametrize("storage", ["hybrid", "sql"])
POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is in the process: it answers")


@BY_SQL
@POSTGRESQL
def test_who_gets_no_answer_to_a_commit_is_told_that_nobody_knows(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    arena = opened(storage)
    before_commit(monkeypatch, "SELECT pg_terminate_backend(pg_backend_pid())")

    assert told(send(arena, {"player": "a", "points": 1})) == ["outcome_unknown"]


@BY_SQL
@POSTGRESQL
def test_what_sql_refused_before_its_commit_is_known_not_to_count(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    arena = opened(storage)
    before_commit(monkeypatch, "SET LOCAL statement_timeout = 1", "SELECT pg_sleep(9)")

    assert told(send(arena, {"player": "a", "points": 1})) == ["unavailable"]
    assert not Submission.objects.exists()


@BY_SQL
@POSTGRESQL
def test_a_deadlock_that_is_told_with_the_commit_starts_the_transaction_again(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    arena = opened(storage)
    before_commit(monkeypatch, "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$")

    assert told(send(arena, {"player": "a", "points": 1})) == ["updated"]
    assert Submission.objects.count() == 1


def before_commit(monkeypatch: pytest.MonkeyPatch, *troubles: str) -> None:
    """Once, have SQL do something else between the writes and their COMMIT."""
    commit, waiting = _Pipelined.commit, list(troubles)

    def troubled(statements: _Pipelined) -> None:
        while waiting:
            statements.execute(waiting.pop(0), ())
        commit(statements)

    monkeypatch.setattr(_Pipelined, "commit", troubled)


def test_the_calendar_is_asked_once_for_entries_of_one_moment(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    arena, asked = opened("redis"), []

    def noted(calendar: Calendar, at: datetime) -> Window:
        asked.append(at)
        return window_at(calendar, at)

    monkeypatch.setattr(resolve, "window_at", noted)
    earlier = NOW - timedelta(days=1)
    late = {"player": "d", "points": 1, "at": earlier.isoformat()}

    outcomes = send(arena, *({"player": name, "points": 1} for name in "abc"), late)

    assert told(outcomes) == ["updated"] * 4
    assert asked == [NOW, earlier]
