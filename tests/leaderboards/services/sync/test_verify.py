"""Verifying: whatever was damaged is found and put right, and nothing else is touched."""

import random
from datetime import timedelta
from itertools import chain, repeat
from typing import Any
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.models import Difference, Period, Standing
from leaderboards.selectors import ranks
from leaderboards.services.sync import mirror as mirroring
from leaderboards.services.sync import verify as verifying
from leaderboards.services.sync.verify import verify_all
from leaderboards.stores.redis.publish import Publisher
from tests.leaderboards.services.site import (
    NOON,
    crowd,
    follow,
    in_redis,
    in_sql,
    make_board,
    redis_client,
    score,
    set_aside,
)

LONG = 60.0
PLAYERS = 120
FORMS: dict[str, dict[str, Any]] = {
    "in the score": {"tie_break": "score"},
    "in the member": {"tie_break": "member"},
    "dense": {"ties": "dense"},
}


def differences() -> tuple[int, int]:
    """Found and repaired by one run."""
    verified = verify_all(NOON, LONG)
    assert all(each.finished for each in verified)
    return sum(each.differences for each in verified), sum(each.repaired for each in verified)


def shift(period: Period, player: str) -> None:
    """Redis shows another score of the player."""
    with redis_client() as client:
        client.zincrby(period.family.zset, 3, Standing.objects.get(period=period, player__external_id=player).member)


@patch.object(verifying, "CHUNK", 50)
@pytest.mark.parametrize("form", FORMS)
def test_what_redis_shows_wrongly_is_put_right_as_sql_has_it(form: str) -> None:
    period = crowd(make_board("hybrid", **FORMS[form]), PLAYERS)
    wrong, also_wrong, *lost = random.Random(7).sample(sorted(in_redis(period)), 4)
    in_member = period.layout.in_member  # where a member of someone may be left who stands elsewhere by now
    strangers = [f"{'9' * 19}_ghost", f"{'1' * 19}_p3"] if in_member else ["ghost", "another"]
    with redis_client() as client:
        for member in (wrong, also_wrong):
            client.zincrby(period.family.zset, 3, member)
        client.zrem(period.family.zset, *lost)
        client.zadd(period.family.zset, dict.fromkeys(strangers, 5.0))
    damaged = in_redis(period)

    [looked_at] = verify_all(NOON, LONG, repair=False)
    assert (looked_at.repaired, in_redis(period)) == (0, damaged)
    found, repaired = differences()
    # where distinct scores are kept, those of the damaged are wrong as well
    assert 6 <= found <= looked_at.differences if form == "dense" else 6 == found == looked_at.differences
    assert repaired == found

    assert in_redis(period) == in_sql(period)
    assert len(in_sql(period)) == PLAYERS
    assert differences() == (0, 0)
    assert Difference.objects.filter(repaired=True).count() == found


@patch.object(verifying, "CHUNK", 50)
@pytest.mark.parametrize("form", FORMS)
def test_what_sql_has_wrongly_is_put_right_where_redis_decides(form: str) -> None:
    period = crowd(make_board("redis", **FORMS[form]), PLAYERS)
    rows = list(Standing.objects.filter(period=period).select_related("player").order_by("pk"))
    victims = random.Random(8).sample(rows, 6)
    for row in victims[:2]:
        Standing.objects.filter(pk=row.pk).update(score=(row.score or 0) + 7)
    Standing.objects.filter(pk__in=[row.pk for row in victims[2:4]]).delete()
    decided = in_redis(period)
    with redis_client() as client:
        for row in victims[4:]:  # players whom Redis lost: that is no decision
            client.zrem(period.family.zset, row.member)
            client.hdel(period.family.members, row.player.external_id)

    found, repaired = differences()
    assert found == repaired >= 6
    follow(period)

    assert in_redis(period) == decided == in_sql(period)
    assert differences() == (0, 0)


def test_what_settling_a_writer_or_the_mirror_is_still_at_is_left_alone() -> None:
    period, mirrored = crowd(make_board("hybrid"), 20), crowd(make_board("redis"), 20)
    Standing.objects.filter(period=period, player__external_id="p3").update(pending_publish=True)
    shift(period, "p3")
    Publisher(redis.boards()).announce(period, ["p5"], "of a writer that is at it")
    shift(period, "p5")
    score(mirrored.board, {"p3": 1000, "newcomer": 5})
    shown = in_redis(period), in_redis(mirrored)

    assert differences() == (0, 0)

    assert (in_redis(period), in_redis(mirrored)) == shown
    assert Standing.objects.get(period=period, player__external_id="p3").pending_publish
    with redis_client() as client:
        assert client.hlen(mirrored.family.dirty) == 2
    Period.objects.update(stale_since=NOON)
    assert [each.label for each in verify_all(NOON, LONG) if each.compared] == []


def test_what_was_given_up_is_no_difference_until_the_player_scores_again() -> None:
    period = crowd(make_board("redis", update="latest"), {"poison": 1, "other": 2})
    with set_aside(period, "poison", 9) as letter:
        mirroring.drop(letter, NOON)

        assert differences() == (0, 0)
        mirroring.mirror_all()
        assert not DeadLetter.objects.filter(resolved_at=None).exists()

    score(period.board, {"poison": 10})
    mirroring.mirror_all()
    Standing.objects.filter(player__external_id="poison").update(score=3.0)
    assert differences() == (1, 1)


@patch.object(verifying, "CHUNK", 10)
def test_a_run_whose_time_is_up_goes_on_where_it_stopped() -> None:
    period = crowd(make_board("hybrid"), 35)
    shift(period, "p34")
    with redis_client() as client:
        client.zadd(period.family.zset, {"ghost": 1.0})
    compared: list[int] = []
    until, finished = clock.monotonic() + LONG, False

    while not finished:
        assert len(compared) < 20
        period.refresh_from_db()
        with patch.object(clock, "monotonic", side_effect=chain([0.0], repeat(until + 1))):
            verified = verifying.verify(period, until, repair=True)
        compared.append(verified.compared)
        finished = verified.finished

    assert sum(compared) == 35
    assert len(compared) > 2
    assert in_redis(period) == in_sql(period)
    period.refresh_from_db()
    assert (period.verify_cursor, period.verified_at is None) == ("", False)


def test_periods_never_verified_come_first() -> None:
    old = crowd(make_board("hybrid", name="old"), 3)
    new = crowd(make_board("hybrid", name="new"), 3)
    Period.objects.filter(board=old.board).update(verified_at=NOON - timedelta(days=1))

    verified = verify_all(NOON, LONG)

    assert [each.board for each in verified if each.compared] == [new.board_id, old.board_id]


def test_a_distinct_score_too_few_or_too_many_is_found_and_put_right() -> None:
    for storage in ("hybrid", "redis"):
        period = crowd(make_board(storage, ties="dense"), {"a": 9, "b": 7, "c": 5})
        lost = in_redis(period)[next(member for member in in_redis(period) if member.endswith("b"))]
        with redis_client() as client:
            client.zrem(period.family.scores, f"{lost:.17g}")
            client.zadd(period.family.scores, {"1": 1.0})
        assert ranks(period, ["c"]) == {"c": 2}

        assert differences() == (2, 2)

        assert ranks(period, ["a", "b", "c"]) == {"a": 1, "b": 2, "c": 3}
        assert differences() == (0, 0)


def test_what_redis_keeps_beside_a_score_comes_back_from_sql() -> None:
    period = crowd(make_board("redis", ties="shared", update="latest"), {"a": 9, "b": 7})
    follow(period)
    with redis_client() as client:
        kept = client.hgetall(period.family.stored_state)
        assert client.hdel(period.family.stored_state, "a") == 1

        assert differences() == (1, 1)

        assert client.hgetall(period.family.stored_state) == kept
    assert differences() == (0, 0)


def test_a_memory_that_was_set_back_is_brought_up_and_takes_nothing_from_sql() -> None:
    period = crowd(make_board("redis"), {"a": 1, "b": 2})
    follow(period)
    with redis_client() as client:
        keys = [key for key in period.family.all_keys if client.exists(key)]
        older = {key: client.dump(key) for key in keys}
        score(period.board, {"a": 10, "newcomer": 5})
        follow(period)
        for key in period.family.all_keys:
            client.delete(key)
        for key, value in older.items():
            client.restore(key, 0, value)

    found, repaired = differences()

    assert found == repaired == 1
    period.refresh_from_db()
    assert len(in_sql(period)) == 3
    assert in_redis(period) == in_sql(period)
    assert differences() == (0, 0)
