"""Closing: final ranks never move, days of downtime are caught up with, and what is not in SQL keeps a period open."""

from datetime import datetime, timedelta
from unittest.mock import patch

import pytest

from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.errors import PeriodClosed
from leaderboards.models import Board, Period, PeriodState, Player, Standing
from leaderboards.services.moderation.remove import remove_from_period, remove_player
from leaderboards.services.periods import close as closing
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_due
from leaderboards.services.sync import mirror as mirroring
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.redis.writes import ZsetWriter
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    crowd,
    final,
    finalists,
    in_sql,
    make_board,
    period_of,
    points,
    redis_away,
    redis_client,
    refused_by_sql,
    score,
    set_aside,
)

TOMORROW = NOON + DAY
STORAGES = ("hybrid", "redis", "sql")


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_closing_twice_gives_the_same_standings_and_the_same_hash(storage: str, ties: str) -> None:
    board = make_board(storage, ties=ties)
    score(board, {"a": 5, "b": 7, "c": 5})
    score(board, {"d": 1, "gone": 9})
    period = period_of(board)
    remove_player(board, "gone", NOON)

    [first] = close_due(TOMORROW)
    standings, digest = final(period), Period.objects.get(pk=period.pk).content_hash
    Period.objects.filter(pk=period.pk).update(state=PeriodState.CLOSING)
    period.final_standings.all().delete()
    [second] = close_due(TOMORROW)

    assert (first.final, second.final, len(standings)) == (True, True, 4)
    assert (final(period), Period.objects.get(pk=period.pk).content_hash) == (standings, digest)
    assert close_due(TOMORROW) == []


def test_a_redis_board_waits_while_redis_is_away_and_others_do_not() -> None:
    for storage in STORAGES:
        crowd(make_board(storage), 3)
    with redis_away():
        closed = close_due(TOMORROW)

    states = dict(Period.objects.filter(ends_at__lte=TOMORROW).values_list("board__storage", "state"))
    assert states == {"hybrid": PeriodState.FINAL, "sql": PeriodState.FINAL, "redis": PeriodState.CLOSING}
    assert [each.detail for each in closed if not each.final] == [closing.AWAY]
    [late] = close_due(TOMORROW)
    assert (late.final, late.players) == (True, 3)


def test_days_of_downtime_are_caught_up_with_oldest_first_and_nothing_is_closed_before_its_grace_is_over() -> None:
    boards = [make_board(storage, grace_seconds=90) for storage in STORAGES]
    last = [crowd(board, 2, NOON + day * DAY) for day in range(4) for board in boards][-1]

    closed = close_due((last.ends_at or NOON) + timedelta(seconds=89))
    then = close_due((last.ends_at or NOON) + timedelta(seconds=90))

    labels = [each.label for each in closed]
    assert labels == sorted(labels)
    assert [(each.final, each.players) for each in closed] == [(True, 2)] * 9
    assert [(each.final, each.label) for each in then] == [(True, last.label)] * 3


def test_a_standing_that_sql_refuses_keeps_none_of_its_neighbours() -> None:
    period = crowd(make_board("redis"), {"poison": 1})
    neighbours = {f"p{number}": number for number in range(40)}
    with refused_by_sql(Player.objects.get(external_id="poison")):
        score(period.board, neighbours | {"poison": 9})

        mirror(period)

    assert points(period.board) == neighbours | {"poison": 1}
    letter = DeadLetter.objects.get()
    assert (letter.payload["player"], letter.resolved_at) == ("poison", None)
    assert "refuses_one_player" in letter.reason


def test_a_redis_period_waits_while_a_standing_is_set_aside() -> None:
    period = crowd(make_board("redis"), {"poison": 1, "other": 2})
    with set_aside(period, "poison", 9) as letter:
        [waiting] = close_due(TOMORROW)
        assert "refuses_one_player" in mirroring.retry(letter)
        assert letter.tries == 2

    assert (waiting.final, "dead letters" in waiting.detail) == (False, True)
    assert mirroring.retry(letter) == ""
    assert letter.resolution == "mirrored"
    [closed] = close_due(TOMORROW)
    assert (closed.final, finalists(period)) == (True, ["poison", "other"])
    assert points(period.board) == {"poison": 9, "other": 2}


@pytest.mark.parametrize("before", [{"poison": 1}, {}], ids=str)
def test_a_dropped_standing_closes_as_sql_has_it(before: dict[str, int]) -> None:
    board = make_board("redis")
    crowd(board, {"poison": 1}, NOON - DAY)
    period = crowd(board, {"other": 2} | before)
    with set_aside(period, "poison", 9) as letter:
        mirroring.drop(letter, NOON)

        closed = [each.final for each in close_due(TOMORROW) if each.label == period.label]

    assert (closed, finalists(period)) == ([True], ["other", *before])


@pytest.mark.parametrize("damage", ["score", "missing", "extra"])
@patch.object(closing, "COMPARE_CHUNK", 2)
def test_a_redis_period_with_a_difference_waits(damage: str) -> None:
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

    assert (waiting.final, "verify --repair" in waiting.detail) == (False, True)
    assert final(period) == []


def test_a_redis_period_that_is_being_settled_waits_and_a_final_one_is_not_settled_any_more() -> None:
    period = crowd(make_board("redis"), {"a": 5})
    crowd(make_board("hybrid"), 1)
    score(period.board, {"a": 100})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    waiting, final_one = sorted(close_due(TOMORROW), key=lambda each: each.final)
    over = Period.objects.filter(state=PeriodState.FINAL)
    over.update(stale_since=TOMORROW)
    resync_due(TOMORROW)

    assert (waiting.final, waiting.detail) == (False, "its standings in Redis are being resynced")
    assert (final_one.final, over.get().stale_since) == (True, TOMORROW)


def test_nobody_is_taken_out_of_a_redis_period_that_closed_meanwhile() -> None:
    period = crowd(make_board("redis"), 3)
    closing.stop_accepting(period)
    closing._drain(period)

    with pytest.raises(PeriodClosed):
        ZsetWriter(redis.boards()).remove(period, "p1")
    with pytest.raises(PeriodClosed):
        remove_from_period(period, "p1", NOON)

    assert len(in_sql(period)) == 3


def test_one_that_cannot_be_closed_or_opened_keeps_no_other_waiting() -> None:
    for name in ("Broken", "Sound"):
        score(make_board("hybrid", name=name), {"a": 5})
    real = closing.close_period

    def close(period: Period, at: datetime) -> closing.Closed:
        if period.board.name == "Broken":
            raise ValueError("its rules cannot be read")
        return real(period, at)

    with patch.object(closing, "close_period", close), pytest.raises(ExceptionGroup, match="some could not be done"):
        close_due(TOMORROW)
    assert [period_of(board).state for board in Board.objects.order_by("name")] == ["open", "final"]

    Board.objects.filter(name="Broken").update(timezone="Mars/Olympus")
    with pytest.raises(ExceptionGroup, match="some could not be done"):
        open_due(NOON + 3 * DAY)
    assert Period.objects.filter(board__name="Sound", starts_at__gte=NOON + 2 * DAY).count() == 2
