"""Verifying: whatever was damaged is found and put right, and nothing else is touched."""

import random
from datetime import timedelta
from typing import Any

import pytest

from foundation import clock, redis
from foundation.models import DeadLetter
from leaderboards.core.instants import milliseconds
from leaderboards.models import Difference, Period, Player, Standing
from leaderboards.services import mirror as mirroring
from leaderboards.services import verify as verifying
from leaderboards.services.verify import verify_all
from leaderboards.stores.zset_writes import Put, ZsetWriter
from tests.leaderboards.services.site import (
    NOON,
    crowd,
    follow,
    in_redis,
    in_sql,
    make_board,
    redis_client,
    refused_by_sql,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

LONG = 60.0
PLAYERS = 1200  # more than two chunks
ONE_PERCENT = PLAYERS // 100
FORMS: dict[str, dict[str, Any]] = {
    "in the score": {"tie_break": "score"},
    "in the member": {"tie_break": "member"},
    "dense": {"ties": "dense"},
}


def member(period: Period, player: str) -> str:
    return Standing.objects.get(period=period, player__external_id=player).member


def differences() -> tuple[int, int]:
    """Found and repaired by one run."""
    verified = verify_all(NOON, LONG)
    assert all(each.finished for each in verified)
    return sum(each.differences for each in verified), sum(each.repaired for each in verified)


def damage_redis(period: Period, dice: random.Random) -> int:
    """Wrong scores, lost members and strangers: a percent of all in all."""
    victims = dice.sample(sorted(in_redis(period)), ONE_PERCENT)
    third = ONE_PERCENT // 3
    with redis_client() as client:
        for member in victims[:third]:
            client.zincrby(period.family.zset, 3, member)
        client.zrem(period.family.zset, *victims[third : 2 * third])
        for number in range(ONE_PERCENT - 2 * third):
            member = f"{'9' * 19}_ghost{number}" if period.layout.in_member else f"ghost{number}"
            client.zadd(period.family.zset, {member: 5.0})
    return ONE_PERCENT


def damage_sql(period: Period, dice: random.Random) -> int:
    """Wrong scores, lost rows, and rows of players whom Redis does not rank."""
    rows = list(Standing.objects.filter(period=period).order_by("pk"))
    victims = dice.sample(rows, ONE_PERCENT)
    third = ONE_PERCENT // 3
    for row in victims[:third]:
        Standing.objects.filter(pk=row.pk).update(score=(row.score or 0) + 7)
    Standing.objects.filter(pk__in=[row.pk for row in victims[third : 2 * third]]).delete()
    with redis_client() as client:
        for row in victims[2 * third :]:
            client.zrem(period.family.zset, row.member)
            client.hdel(period.family.members, row.player.external_id)
    return ONE_PERCENT


@pytest.mark.parametrize("form", FORMS)
def test_what_redis_shows_wrongly_is_put_right_as_sql_has_it(links: None, form: str) -> None:
    period = crowd(make_board("hybrid", **FORMS[form]), PLAYERS)
    damaged = damage_redis(period, random.Random(7))

    assert differences() == (damaged, damaged)

    assert in_redis(period) == in_sql(period)
    assert len(in_sql(period)) == PLAYERS
    assert differences() == (0, 0)
    assert Difference.objects.filter(repaired=True).count() == damaged


@pytest.mark.parametrize("form", FORMS)
def test_what_sql_has_wrongly_is_put_right_where_redis_decides(links: None, form: str) -> None:
    period = crowd(make_board("redis", **FORMS[form]), PLAYERS)
    damaged = damage_sql(period, random.Random(8))
    decided = in_redis(period)

    assert differences() == (damaged, damaged)
    follow(period)

    assert in_redis(period) == decided == in_sql(period)
    assert differences() == (0, 0)


def test_a_member_that_stands_for_nobody_any_more_is_taken_out(links: None) -> None:
    period = crowd(make_board("hybrid", tie_break="member"), 5)
    with redis_client() as client:
        client.zadd(period.family.zset, {f"{'1' * 19}_p3": 4.0})

    assert differences() == (1, 1)

    assert in_redis(period) == in_sql(period)
    assert differences() == (0, 0)


def test_without_repair_everything_is_named_and_nothing_touched(links: None) -> None:
    period = crowd(make_board("hybrid"), 50)
    with redis_client() as client:
        client.zincrby(period.family.zset, 3, member(period, "p7"))
    damaged = in_redis(period)

    [verified] = verify_all(NOON, LONG, repair=False)

    assert (verified.differences, verified.repaired) == (1, 0)
    assert in_redis(period) == damaged
    assert [(each.player, each.repaired) for each in Difference.objects.all()] == [("p7", False)]


def test_what_settling_must_put_is_left_to_settling(links: None) -> None:
    period = crowd(make_board("hybrid"), 20)
    Standing.objects.filter(period=period, player__external_id="p3").update(unput=True)
    with redis_client() as client:
        client.zincrby(period.family.zset, 3, member(period, "p3"))
    damaged = in_redis(period)

    assert differences() == (0, 0)

    assert in_redis(period) == damaged
    assert Standing.objects.get(period=period, player__external_id="p3").unput


def test_what_a_writer_may_be_committing_is_left_alone(links: None) -> None:
    period = crowd(make_board("hybrid"), 20)
    token = f"{milliseconds(NOON)}-unsure"
    ahead = [Put("p3", 9e9, f"{'8' * 19}_p3"), Put("newcomer", 8e9, f"{'8' * 19}_newcomer")]
    ZsetWriter(redis.boards()).put(period, ahead, token)
    shown = in_redis(period)

    assert differences() == (0, 0)

    assert in_redis(period) == shown


def test_what_the_mirror_has_not_copied_yet_is_no_difference(links: None) -> None:
    board = make_board("redis")
    period = crowd(board, 20)
    score(board, {"p3": 1000, "newcomer": 5})
    decided = in_redis(period)

    assert differences() == (0, 0)

    assert in_redis(period) == decided
    with redis_client() as client:
        assert client.hlen(period.family.dirty) == 2


def test_what_was_given_up_is_no_difference_until_the_player_scores_again(links: None) -> None:
    board = make_board("redis", update="latest")
    score(board, {"poison": 1, "other": 2})
    mirroring.mirror_all()
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(board, {"poison": 9})
        mirroring.mirror_all()
        mirroring.drop(DeadLetter.objects.get(), NOON)

        assert differences() == (0, 0)
        mirroring.mirror_all()
        assert not DeadLetter.objects.filter(resolved_at=None).exists()

    score(board, {"poison": 10})
    mirroring.mirror_all()
    Standing.objects.filter(player__external_id="poison").update(score=3.0)
    assert differences() == (1, 1)


def test_a_stale_period_is_left_to_settling(links: None) -> None:
    period = crowd(make_board("hybrid"), 20)
    with redis_client() as client:
        client.zincrby(period.family.zset, 3, member(period, "p3"))
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    assert [each.label for each in verify_all(NOON, LONG) if each.compared] == []


def test_a_run_whose_time_is_up_goes_on_where_it_stopped(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "CHUNK", 10)
    period = crowd(make_board("hybrid"), 35)
    with redis_client() as client:
        client.zincrby(period.family.zset, 3, member(period, "p34"))
        client.zadd(period.family.zset, {"ghost": 1.0})
    compared = []
    until = clock.monotonic() + LONG

    for _ in range(20):
        period.refresh_from_db()
        times = iter([0.0])
        monkeypatch.setattr(clock, "monotonic", lambda times=times: next(times, until + 1))
        [verified] = [verifying.verify(period, until, repair=True)]
        monkeypatch.undo()
        monkeypatch.setattr(verifying, "CHUNK", 10)
        compared.append(verified.compared)
        if verified.finished:
            break

    assert sum(compared) == 35
    assert len(compared) > 2
    assert in_redis(period) == in_sql(period)
    period.refresh_from_db()
    assert (period.verify_place, period.verified_at is None) == ("", False)


def test_periods_never_verified_come_first(links: None) -> None:
    old = crowd(make_board("hybrid", name="old"), 3)
    new = crowd(make_board("hybrid", name="new"), 3)
    Period.objects.filter(board=old.board).update(verified_at=NOON - timedelta(days=1))

    verified = verify_all(NOON, LONG)

    assert [each.board for each in verified if each.compared] == [new.board_id, old.board_id]
