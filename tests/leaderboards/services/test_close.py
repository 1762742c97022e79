"""Closing: final ranks never move, days of downtime are caught up with, and what is not in SQL keeps a period open."""

from datetime import timedelta
from typing import Any

import pytest

from foundation import redis
from foundation.models import DeadLetter
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period, Player, Standing, State
from leaderboards.services import close as closing
from leaderboards.services import mirror as mirroring
from leaderboards.services.close import close_due
from leaderboards.services.mirror import mirror
from leaderboards.services.remove import remove_player
from leaderboards.services.settle import settle_due
from leaderboards.stores.zset_writes import ZsetWriter
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    crowd,
    final,
    follow,
    in_sql,
    make_board,
    period_of,
    redis_client,
    refused_by_sql,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

TOMORROW = NOON + DAY
STORAGES = ("hybrid", "redis", "sql")


def redis_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis.Link, "call", away)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_closing_twice_gives_the_same_standings_and_the_same_hash(links: None, storage: str, ties: str) -> None:
    board = make_board(storage, ties=ties)
    score(board, {"a": 5, "b": 7, "c": 5})
    score(board, {"d": 1})
    period = period_of(board)

    [first] = close_due(TOMORROW)
    standings, digest = final(period), Period.objects.get(pk=period.pk).content_hash
    Period.objects.filter(pk=period.pk).update(state=State.CLOSING)
    period.final_standings.all().delete()
    [second] = close_due(TOMORROW)

    assert (first.final, second.final) == (True, True)
    assert len(standings) == 4
    assert final(period) == standings
    assert Period.objects.get(pk=period.pk).content_hash == digest
    assert close_due(TOMORROW) == []


def test_a_redis_board_waits_while_redis_is_away_and_others_do_not(
    links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for storage in STORAGES:
        crowd(make_board(storage), 3)
    with monkeypatch.context() as patch:
        redis_away(patch)

        closed = {each.board: each for each in close_due(TOMORROW)}

    states = dict(Period.objects.filter(ends_at__lte=TOMORROW).values_list("board__storage", "state"))
    assert states == {"hybrid": State.FINAL, "sql": State.FINAL, "redis": State.CLOSING}
    assert [each.detail for each in closed.values() if not each.final] == [closing.AWAY]
    redis.boards().reset()
    [late] = close_due(TOMORROW)
    assert (late.final, late.players) == (True, 3)


def test_days_of_downtime_are_caught_up_with_oldest_first(links: None) -> None:
    boards = [make_board(storage) for storage in STORAGES]
    for day in range(4):
        for board in boards:
            crowd(board, 2, NOON + day * DAY)

    closed = close_due(NOON + 4 * DAY)

    labels = [each.label for each in closed]
    assert labels == sorted(labels)
    assert len(closed) == 12
    assert all(each.final and each.players == 2 for each in closed)


def test_nothing_is_closed_before_its_grace_is_over(links: None) -> None:
    board = make_board("hybrid", grace_seconds=90)
    period = crowd(board, 1)
    assert period.ends_at is not None

    before = close_due(period.ends_at + timedelta(seconds=89))
    after = close_due(period.ends_at + timedelta(seconds=90))

    assert (before, [each.final for each in after]) == ([], [True])


def test_a_standing_that_sql_refuses_keeps_none_of_its_neighbours(links: None) -> None:
    board = make_board("redis")
    score(board, {"poison": 1})
    period = period_of(board)
    follow(period)
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(board, {f"p{number}": number for number in range(40)} | {"poison": 9})

        mirror(period)

        assert {name.partition("_")[2] for name in in_sql(period)} == {f"p{n}" for n in range(40)} | {"poison"}
        letter = DeadLetter.objects.get()
        assert (letter.payload["player"], letter.resolved_at) == ("poison", None)
        assert "refuses_one_player" in letter.reason
        assert Standing.objects.get(player__external_id="poison").points == 1


def test_a_set_aside_standing_goes_through_once_its_cause_is_gone(links: None) -> None:
    board = make_board("redis")
    score(board, {"poison": 1})
    period = period_of(board)
    follow(period)
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(board, {"poison": 9})
        mirror(period)
        letter = DeadLetter.objects.get()
        assert "refuses_one_player" in mirroring.retry(letter)
        assert letter.tries == 2

    assert mirroring.retry(letter) == ""

    assert letter.resolution == "mirrored"
    assert Standing.objects.get(player__external_id="poison").points == 9


def test_a_redis_period_waits_while_a_standing_is_set_aside(links: None) -> None:
    board = make_board("redis")
    score(board, {"poison": 1, "other": 2})
    period = period_of(board)
    follow(period)
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(board, {"poison": 9})
        mirror(period)

        [waiting] = close_due(TOMORROW)

    assert not waiting.final
    assert "dead letters" in waiting.detail
    mirroring.retry(DeadLetter.objects.get())
    [closed] = close_due(TOMORROW)
    assert closed.final
    assert [(rank, member.partition("_")[2]) for _, rank, member, _ in final(period)] == [(1, "poison"), (2, "other")]


@pytest.mark.parametrize("before", [1, None])
def test_a_dropped_standing_closes_as_sql_has_it(links: None, before: int | None) -> None:
    board = make_board("redis")
    score(board, {"poison": 1}, NOON - DAY)
    follow(period_of(board, NOON - DAY))
    score(board, {"other": 2} | ({"poison": before} if before else {}))
    period = period_of(board)
    follow(period)
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(board, {"poison": 9})
        mirror(period)
        mirroring.drop(DeadLetter.objects.get(), NOON)

        closed = [each for each in close_due(TOMORROW) if each.label == period.label]

    assert [each.final for each in closed] == [True]
    expected = ["other", "poison"] if before else ["other"]
    assert [member.partition("_")[2] for _, _, member, _ in final(period)] == expected


@pytest.mark.parametrize("damage", ["score", "missing", "extra"])
def test_a_redis_period_with_a_difference_waits(links: None, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    monkeypatch.setattr(closing, "COMPARED_AT_ONCE", 2)
    period = crowd(make_board("redis"), 5)
    row = Standing.objects.filter(period=period, player__external_id="p3")
    if damage == "score":
        row.update(score=5)
    elif damage == "missing":
        row.delete()
    else:
        with redis_client() as client:
            client.zrem(period.family.zset, row.get().member)

    [waiting] = close_due(TOMORROW)

    assert not waiting.final
    assert "verify --repair" in waiting.detail
    assert final(period) == []


def test_a_redis_period_that_is_being_settled_waits(links: None) -> None:
    board = make_board("redis")
    period = crowd(board, 5)
    score(board, {"p3": 100})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    [waiting] = close_due(TOMORROW)

    assert (waiting.final, waiting.detail) == (False, "its standings in Redis are being settled")


def test_nobody_is_taken_out_of_a_redis_period_that_closed_meanwhile(links: None) -> None:
    period = crowd(make_board("redis"), 3)
    closing.stop_taking(period)
    closing._drain(period)

    with pytest.raises(PeriodClosed):
        ZsetWriter(redis.boards()).remove(period, "p1")

    assert len(in_sql(period)) == 3


def test_a_removed_player_has_no_place(links: None) -> None:
    board = make_board("redis")
    period = crowd(board, 3)
    remove_player(board, "p1", NOON)

    [closed] = close_due(TOMORROW)

    assert (closed.final, closed.players) == (True, 2)
    assert [member.partition("_")[2] for _, _, member, _ in final(period)] == ["p2", "p0"]


def test_a_final_period_is_not_settled_any_more(links: None) -> None:
    board = make_board("hybrid")
    score(board, {"a": 5})
    period = period_of(board)
    close_due(TOMORROW)
    Period.objects.filter(pk=period.pk).update(stale_since=TOMORROW)

    settle_due(TOMORROW)

    assert Period.objects.get(pk=period.pk).stale_since == TOMORROW


def test_one_that_cannot_be_closed_keeps_no_other_waiting(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, sound = make_board("hybrid", name="Broken"), make_board("hybrid", name="Sound")
    for board in (broken, sound):
        score(board, {"a": 5})
    real = closing.close_period

    def close(period: Period, *args: Any) -> closing.Closed:
        if period.board_id == broken.seq:
            raise ValueError("its rules cannot be read")
        return real(period, *args)

    monkeypatch.setattr(closing, "close_period", close)
    with pytest.raises(ExceptionGroup, match="some could not be done"):
        close_due(TOMORROW)

    assert {board: period_of(board).state for board in (broken, sound)} == {broken: "open", sound: "final"}
