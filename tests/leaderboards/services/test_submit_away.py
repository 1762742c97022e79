"""Submitting while Redis is away, or SQL goes away, and what is asked of them once for a whole request."""

from collections.abc import Sequence
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from redis import ConnectionPool

from foundation.redis import Link, RedisAway, RedisRefused, RedisSilent
from foundation.statements import _Pipelined
from leaderboards.core.periods import window_at
from leaderboards.models import Period, Standing, Submission
from leaderboards.services import resolve
from leaderboards.services.settle import settle_due
from tests.contracts.arena import NOW, Sent
from tests.leaderboards.services.sending import TURN, opened, send, told

pytestmark = pytest.mark.contract

FAILURES = {
    RedisAway("away"): "unavailable",
    RedisSilent("silent"): "outcome_unknown",
    RedisRefused("OOM command not allowed"): "unavailable",
}


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_a_hybrid_board_goes_on_and_is_whole_again_after_settling(failure: Exception) -> None:
    arena = opened("hybrid")
    arena.send(Sent("a", 5, 10))
    with patch.object(Link, "run", side_effect=failure):
        arena.send(Sent("b", 7, 5), Sent("a", 3, 1))
        arena.agree(live=False)
    assert Standing.objects.filter(unput=True).count() == 2
    assert Period.objects.get(pk=arena.period.pk).stale_since == NOW
    settle_due(NOW)
    arena.agree()
    arena.agree_in_sql()


@pytest.mark.parametrize(("failure", "said"), FAILURES.items(), ids=str)
def test_a_redis_board_says_what_it_knows(failure: Exception, said: str) -> None:
    arena = opened("redis")
    arena.send(Sent("a", 5, 10))
    arena.mirror()
    with patch.object(Link, "run", side_effect=failure):
        outcomes = send(arena, {"player": "b", "points": 7}, {"player": "c", "points": -7})
        arena.agree(live=False)

    assert told(outcomes) == [said, "out_of_range"]
    arena.agree()


def test_a_closed_port_is_away_at_once_and_then_left_alone() -> None:
    pool = ConnectionPool.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.2)
    link = Link(pool)

    with patch.object(pool, "get_connection", wraps=pool.get_connection) as connect:
        for _ in range(3):
            with pytest.raises(RedisAway):
                link.call("PING")

    assert connect.call_count == 1


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_sql_that_goes_away_as_a_period_opens_spoils_no_neighbour(storage: str) -> None:
    arena = opened(storage)
    send(arena, {"player": "a", "points": 1})
    arena.board.periods.filter(starts_at=TURN).delete()
    before = {"player": "a", "points": 2, "at": (TURN - timedelta(seconds=1)).isoformat()}

    with patch.object(resolve, "open_period", side_effect=OperationalError("the connection is closed")):
        outcomes = send(arena, before, {"player": "a", "points": 4}, at=TURN + timedelta(seconds=10))

    assert told(outcomes) == ["updated", "unavailable"]


COMMITS = {
    "no answer": (["SELECT pg_terminate_backend(pg_backend_pid())"], "outcome_unknown", 0),
    "refused before": (["SET LOCAL statement_timeout = 1", "SELECT pg_sleep(9)"], "unavailable", 0),
    "a deadlock": (["DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$"], "updated", 1),
}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is in the process: it answers")
@pytest.mark.parametrize("storage", ["hybrid", "sql"])
@pytest.mark.parametrize(("troubles", "said", "kept"), COMMITS.values(), ids=COMMITS)
def test_what_becomes_of_a_commit_is_told_as_far_as_it_is_known(
    storage: str, troubles: Sequence[str], said: str, kept: int
) -> None:
    """Once, SQL does something else between the writes and their COMMIT, which travel together."""
    arena = opened(storage)
    commit, waiting = _Pipelined.commit, list(troubles)

    def troubled(statements: _Pipelined) -> None:
        while waiting:
            statements.execute(waiting.pop(0), ())
        commit(statements)

    with patch.object(_Pipelined, "commit", troubled):
        assert told(send(arena, {"player": "a", "points": 1})) == [said]
    assert Submission.objects.count() == kept


def test_the_calendar_is_asked_once_for_entries_of_one_moment() -> None:
    arena, earlier = opened("redis"), NOW - timedelta(days=1)
    late = {"player": "d", "points": 1, "at": earlier.isoformat()}

    with patch.object(resolve, "window_at", wraps=window_at) as asked:
        outcomes = send(arena, *({"player": name, "points": 1} for name in "abc"), late)

    assert told(outcomes) == ["updated"] * 4
    assert [call.args[1] for call in asked.call_args_list] == [NOW, earlier]
