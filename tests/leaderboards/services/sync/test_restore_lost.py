"""What Redis lost of single players is given back from SQL, where Redis decides too; who was taken out stays out."""

from collections.abc import Callable
from threading import Thread
from typing import Any
from unittest.mock import patch

import pytest
import redis as driver
from django.db import connection

from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.models import Difference, Period, Standing
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.sync import restore_lost as putting
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND, mirror
from leaderboards.services.sync.verify import LOST, verify_all
from tests.leaderboards.services.site import NOON, crowd, in_redis, in_sql, make_board, redis_client

LONG = 60.0
PLAYERS = 40
FORMS: dict[str, dict[str, Any]] = {
    "in the score": {"tie_break": "score"},
    "in the member": {"tie_break": "member"},
    "beside it": {"ties": "shared", "update": "latest"},
    "dense": {"ties": "dense"},
}
IN_MEMBER = ("in the member",)  # who else has no `:members`
Lose = Callable[[driver.Redis, Period, Standing], object]
LOSSES: dict[str, Lose] = {
    "one of the zset": lambda client, period, row: client.zrem(period.family.zset, row.member),
    "the zset": lambda client, period, _: client.delete(period.family.zset),
    "one of the members": lambda client, period, row: client.hdel(period.family.members, row.player.external_id),
    "the members": lambda client, period, _: client.delete(period.family.members),
    "one in both": lambda client, period, row: (
        client.zrem(period.family.zset, row.member),
        client.hdel(period.family.members, row.player.external_id),
        client.hdel(period.family.stored_state, row.player.external_id),
    ),
}


def verified(repair: bool = True) -> tuple[int, int, set[str]]:
    """Found and repaired by one run, and what was said of it."""
    runs = verify_all(NOON, LONG, repair)
    said = {found.what for each in runs for found in each.found}
    return sum(each.differences for each in runs), sum(each.repaired for each in runs), said


CASES = [(form, loss) for form in FORMS for loss in LOSSES if form in IN_MEMBER or "members" not in loss]


@pytest.mark.parametrize(("form", "loss"), CASES)
def test_what_redis_lost_comes_back_and_nobody_goes_from_sql(form: str, loss: str) -> None:
    period = crowd(make_board("redis", **FORMS[form]), PLAYERS)
    before = in_redis(period)
    row = Standing.objects.select_related("player").filter(period=period)[7]
    with redis_client() as client:
        kept = client.hgetall(period.family.stored_state)
        LOSSES[loss](client, period, row)

        looked_at, _, said = verified(repair=False)
        assert looked_at >= 1
        assert LOST in said
        assert len(in_sql(period)) == PLAYERS

        found, repaired, said = verified()
        assert 1 <= found == repaired <= looked_at  # of what is put back the distinct scores are right as well
        assert LOST in said
        assert client.hgetall(period.family.stored_state) == kept

    assert before == in_redis(period) == in_sql(period)
    assert verified()[0] == 0
    assert Difference.objects.filter(repaired=True, in_redis=None).count() >= 1


def test_who_was_taken_out_stays_out_wherever_the_mirror_is() -> None:
    period = crowd(make_board("redis", tie_break="member"), {"ann": 3, "bob": 2, "cat": 1})
    remove_from_period(period, "ann", NOON)
    assert verified()[0] == 0  # not mirrored yet
    mirror(period)
    assert verified()[0] == 0

    assert in_sql(period) == in_redis(period)
    assert len(in_sql(period)) == 2


@pytest.mark.parametrize("mirrored", [False, True])
def test_who_is_taken_out_between_the_look_and_the_script_stays_out(mirrored: bool) -> None:
    period = crowd(make_board("redis", tie_break="member"), {"ann": 3, "bob": 2})
    with redis_client() as client:
        client.zrem(period.family.zset, Standing.objects.get(period=period, player__external_id="bob").member)

    def take_out() -> None:
        remove_from_period(period, "ann", NOON)
        if mirrored:
            mirror(Period.objects.get(pk=period.pk))
        connection.close()

    other = Thread(target=take_out, daemon=True)

    def meanwhile(_step: str) -> None:
        other.start()
        other.join(1.0)

    in_time = redis.boards().deadline_ms(period.family.gen) + 60_000
    with (
        patch.object(putting, "failpoint", meanwhile),
        patch.object(redis.RedisClient, "deadline_ms", return_value=in_time),
    ):
        assert [*putting.restore_lost(period, ["ann", "bob"], repair=True)] == ["bob"]
    other.join(10)
    mirror(period)

    assert len(in_redis(period)) == 1
    assert in_redis(period) == in_sql(period)


def test_a_removal_that_sql_refuses_is_no_loss() -> None:
    period = crowd(make_board("redis"), {"ann": 3, "bob": 2})
    remove_from_period(period, "ann", NOON)
    with redis_client() as client:
        version = int(client.hget(period.family.dirty, "ann") or 0)
        client.delete(period.family.dirty)
    payload = {"period": period.pk, "player": "ann", "version": version, "score": None}
    DeadLetter.note(DEAD_LETTER_KIND, f"{period.pk}:ann", payload, "a reason", NOON)

    assert verified()[0] == 0

    assert len(in_redis(period)) == 1


def test_a_mark_that_is_lost_with_a_removal_takes_nobody_from_sql() -> None:
    """Nobody can tell that from a loss: who is back can be taken out again."""
    period = crowd(make_board("redis"), {"ann": 3, "bob": 2})
    remove_from_period(period, "ann", NOON)
    with redis_client() as client:
        client.delete(period.family.dirty)

    assert verified() == (1, 1, {LOST})

    assert len(in_sql(period)) == 2
    assert in_redis(period) == in_sql(period)


def test_a_member_without_its_player_is_theirs_again_also_where_the_mirror_had_heard_of_nobody() -> None:
    period = crowd(make_board("redis", tie_break="member"), {"ann": 3, "bob": 2})
    with redis_client() as client:
        client.hset(period.family.dirty, "ann", client.incr(period.family.seq))
        client.hdel(period.family.members, "ann")
        mirror(period)
        client.zadd(period.family.zset, {f"{'9' * 19}_ghost": 5.0})  # whom nobody knows

        found, repaired, _ = verified()

        assert (found, repaired) == (2, 2)
        assert client.hexists(period.family.members, "ann")
    assert len(in_sql(period)) == 2
    assert in_redis(period) == in_sql(period)
    assert verified()[0] == 0


def test_who_verifies_and_freezes_puts_nobody_back_later() -> None:
    """By then SQL may have ended the lock, and a removal have been mirrored."""
    period = crowd(make_board("redis"), {"ann": 3, "bob": 2})
    with redis_client() as client:
        client.delete(period.family.zset)
    frozen_since = redis.boards().deadline_ms(period.family.gen) - 60_000

    with (
        patch.object(redis.RedisClient, "deadline_ms", return_value=frozen_since),
        pytest.raises(redis.RedisRefused, match="deadline"),
    ):
        putting.restore_lost(period, ["ann"], repair=True)

    assert in_redis(period) == {}
    assert len(in_sql(period)) == 2
