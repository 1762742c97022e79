"""Submitting: ids, times and rehearsals, and while Redis is away or SQL goes away. Policies are the contract's."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from redis import ConnectionPool

from foundation.db.pipeline import _PipelinedRunner
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisClient, RedisRefused, RedisSilent
from leaderboards import selectors
from leaderboards.models import Period, Player, Standing, Submission
from leaderboards.services.periods.close import close_period
from leaderboards.services.submit import decide_sql, request_periods
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.redis.sync import ZsetSync
from tests.contracts.arena import NOW, Sent
from tests.leaderboards.services.contest import opened, send, send_to, told
from tests.leaderboards.services.site import NOON, WHO_DECIDES, make_board
from tests.locked import locked, only_postgresql

pytestmark = pytest.mark.contract

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


@WHO_DECIDES
class TestIds:
    @pytest.mark.parametrize("is_final", [False, True], ids=["turned", "final, and Redis started again"])
    def test_a_repetition_is_known_after_its_period_is_over(self, storage: str, is_final: bool) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "id": "m1"}
        send_to(arena, entry, at=TURN - SECOND)
        if is_final:
            period = Period.objects.select_related("board").get(board=arena.board, label="2026-10")
            assert close_period(period, TURN + HOUR).final
            if storage == "redis":
                ZsetSync(redis.resync_client()).unlink(period)

        again = send_to(arena, entry, {"player": "b", "points": 1, "id": "m2"}, at=TURN + 3 * HOUR)
        other = send_to(arena, {**entry, "points": 6}, at=TURN + 3 * HOUR)

        assert [(each.status.value, each.period, each.points) for each in again] == [
            ("duplicate", "2026-10", 5),
            ("updated", "2026-11", 1),
        ]
        assert told(other) == ["id_reused"]

    def test_other_content_is_a_reuse_and_the_same_number_in_other_words_is_not(self, storage: str) -> None:
        arena = opened(storage)
        at = (NOW - timedelta(minutes=1)).isoformat()
        entry = {"player": "a", "points": 50, "id": "m1", "at": at}
        send_to(arena, entry)

        outcomes = send_to(
            arena,
            {**entry, "points": "50.0"},
            {**entry, "points": 51},
            {**entry, "player": "b"},
            {"player": "a", "points": 50, "id": "m1"},
        )
        [of_another_game] = send_to(arena, {**entry, "points": 6}, service="another")

        assert told(outcomes) == ["duplicate", "id_reused", "id_reused", "id_reused"]
        assert (of_another_game.status.value, of_another_game.points) == ("updated", 56)

    def test_a_rejected_entry_does_not_use_its_id_up_and_one_id_counts_once_across_two_periods(
        self, storage: str
    ) -> None:
        arena = opened(storage)
        entries = [
            {"player": "a", "points": -1, "id": "m1"},
            {"player": "a", "points": 2**31 - 1, "id": "m2"},
            {"player": "a", "points": 1, "id": "m3"},
            {"player": "a", "points": 0, "id": "m3"},
        ]
        turning = {"player": "a", "points": 0, "id": "m4"}

        first = send_to(arena, *entries)
        second = send_to(arena, {"player": "a", "points": 0, "id": "m1"}, {"player": "b", "points": 7, "id": "m3"})
        third = send_to(arena, {**turning, "at": (TURN - SECOND).isoformat()}, turning, at=TURN + 5 * SECOND)

        assert told(first) == ["out_of_range", "updated", "out_of_range", "unchanged"]
        assert told(second) == ["unchanged", "id_reused"]
        assert told(third) == ["unchanged", "id_reused"]


@only_postgresql
def test_who_cannot_have_a_standing_in_time_is_refused_at_once_and_his_neighbour_scores() -> None:
    arena = opened("hybrid")
    arena.send(Sent("a", 5, 10), Sent("b", 5, 10))

    with (
        patch.object(decide_sql, "_decide_once", wraps=decide_sql._decide_once) as tries,
        locked(Standing.objects.filter(player__external_id="a").values("pk")),
    ):
        refused = send_to(arena, {"player": "a", "points": 9})
        asked = tries.call_count
        neighbour = send_to(arena, {"player": "b", "points": 9})

    assert (told(refused), asked, told(neighbour)) == (["unavailable"], 1, ["updated"])
    arena.send(Sent("a", 5, 5))


class TestTimes:
    def test_grace_takes_what_happened_in_the_period_before_and_no_longer(self) -> None:
        arena = opened("hybrid")
        entry = {"player": "a", "points": 5, "at": (TURN - timedelta(milliseconds=1)).isoformat()}

        within = send_to(arena, entry, at=TURN + timedelta(seconds=59, milliseconds=999))
        after = send_to(arena, entry, at=TURN + 60 * SECOND)

        assert [(each.status.value, each.period) for each in within] == [("updated", "2026-10")]
        assert told(after) == ["period_closed"]

    def test_five_seconds_ahead_count_as_now_and_more_is_refused(self) -> None:
        arena = opened("hybrid")

        outcomes = send_to(
            arena,
            {"player": "a", "points": 5, "at": (NOW + 5 * SECOND).isoformat()},
            {"player": "b", "points": 5, "at": (NOW + timedelta(seconds=5, milliseconds=1)).isoformat()},
        )

        assert told(outcomes) == ["updated", "in_the_future"]
        [row] = selectors.standings(arena.board, arena.period.label).rows
        assert row.achieved_at == NOW

    def test_a_time_before_all_periods_is_refused_alone_also_with_an_id(self) -> None:
        board = make_board("redis", timezone="America/New_York").seq
        early = {"board": board, "player": "early", "points": 1, "id": "e", "at": "1970-01-01T00:00:00Z"}

        outcomes = send(early, {"board": board, "player": "good", "points": 2, "id": "g"}, at=NOON)

        assert told(outcomes) == ["bad_time", "updated"]


@WHO_DECIDES
def test_a_rehearsal_says_the_same_and_leaves_nothing_and_a_ban_spoils_no_neighbour(storage: str) -> None:
    arena = opened(storage)
    Player.objects.create(external_id="banned", banned_at=NOW)
    arena.send(Sent("a", 5, 10))
    arena.mirror()
    entry = {"player": "a", "points": 2, "id": "m1"}
    others = [{"player": "banned", "points": 9}, {"player": "new", "points": 0}, {"player": "a", "points": -1}]
    entries = [entry, entry, {**entry, "points": 3}, *others]

    rehearsed = send_to(arena, *entries, dry_run=True)

    assert told(rehearsed) == ["updated", "duplicate", "id_reused", "banned", "updated", "out_of_range"]
    assert [each.points for each in rehearsed] == [7, 7, None, None, 0, None]
    assert set(Player.objects.values_list("external_id", flat=True)) == {"a", "banned"}
    assert Standing.objects.count() == 1
    assert Submission.objects.filter(external_id="m1").count() == 0
    arena.agree()
    assert told(send_to(arena, *entries)) == told(rehearsed)


FAILURES = {
    RedisAway("away"): "unavailable",
    RedisSilent("silent"): "outcome_unknown",
    RedisRefused("OOM command not allowed"): "unavailable",
}


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_a_hybrid_board_goes_on_and_is_whole_again_after_settling(failure: Exception) -> None:
    arena = opened("hybrid")
    arena.send(Sent("a", 5, 10))
    with patch.object(RedisClient, "run", side_effect=failure):
        arena.send(Sent("b", 7, 5), Sent("a", 3, 1))
        arena.agree(live=False)
    assert Standing.objects.filter(pending_publish=True).count() == 2
    assert Period.objects.get(pk=arena.period.pk).stale_since == NOW
    resync_due(NOW)
    arena.agree()
    arena.agree_in_sql()


@pytest.mark.parametrize(("failure", "said"), FAILURES.items(), ids=str)
def test_a_redis_board_says_what_it_knows(failure: Exception, said: str) -> None:
    arena = opened("redis")
    arena.send(Sent("a", 5, 10))
    arena.mirror()
    with patch.object(RedisClient, "run", side_effect=failure):
        outcomes = send_to(arena, {"player": "b", "points": 7}, {"player": "c", "points": -7})
        arena.agree(live=False)

    assert told(outcomes) == [said, "out_of_range"]
    arena.agree()


def test_a_closed_port_is_away_at_once_and_then_left_alone() -> None:
    pool = ConnectionPool.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.2)
    link = RedisClient(pool)

    with patch.object(pool, "get_connection", wraps=pool.get_connection) as connect:
        for _ in range(3):
            with pytest.raises(RedisAway):
                link.call("PING")

    assert connect.call_count == 1


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_sql_that_goes_away_as_a_period_opens_spoils_no_neighbour(storage: str) -> None:
    arena = opened(storage)
    send_to(arena, {"player": "a", "points": 1})
    arena.board.periods.filter(starts_at=TURN).delete()
    before = {"player": "a", "points": 2, "at": (TURN - SECOND).isoformat()}

    with patch.object(request_periods, "open_period", side_effect=OperationalError("the connection is closed")):
        outcomes = send_to(arena, before, {"player": "a", "points": 4}, at=TURN + 10 * SECOND)

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
    commit, waiting = _PipelinedRunner.commit, list(troubles)

    def troubled(statements: _PipelinedRunner) -> None:
        while waiting:
            statements.execute(waiting.pop(0), ())
        commit(statements)

    with patch.object(_PipelinedRunner, "commit", troubled):
        assert told(send_to(arena, {"player": "a", "points": 1})) == [said]
    assert Submission.objects.count() == kept
