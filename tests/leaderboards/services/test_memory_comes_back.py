"""A Redis that comes back with an earlier part of what it was told, fills up or hiccups, at the worst moment."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction

from foundation import clock
from foundation.redis import client as redis
from foundation.sync import resyncing
from foundation.sync.registering import register_server
from leaderboards.models import Period
from leaderboards.services.periods import upcoming_rules
from leaderboards.services.sync import publish, reconcile, resync_periods
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.sync import ZsetSync
from tests.at_once import at_once
from tests.leaderboards.services.coming_back import POSTGRESQL, agree, bring_to_rest, followed, shown
from tests.leaderboards.services.site import (
    NOON,
    crowd,
    files,
    in_redis,
    make_board,
    period_of,
    redis_client,
    restart_with,
    score,
)
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
FROZEN_SECONDS, HELD_UP = 1.5, 0.5


def resting(step: str, action: Callable[[], object]) -> Thread:
    """Does it in a thread that rests at this step for a while, as if frozen; it has come there."""
    there = Event()

    def rest(name: str) -> None:
        if name == step and thread.is_alive() and not there.is_set():
            there.set()
            time.sleep(FROZEN_SECONDS)

    def run() -> None:
        with patch.object(publish, "failpoint", rest):
            action()
        connection.close()

    thread = Thread(target=run, daemon=True)
    thread.start()
    assert there.wait(10)
    return thread


def seconds(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return time.monotonic() - began


@POSTGRESQL
def test_a_mark_of_a_later_memory_is_not_cleared_by_who_showed_it_to_an_earlier_one() -> None:
    period = followed({"ann": 1, "bob": 2})
    with patch.object(Publisher, "announce", side_effect=redis.RedisAway("away")):
        score(period.board, {"ann": 100})
    before, restarts = files(), [1]

    def restart(step: str) -> None:
        if step == "reconcile.after_shown" and restarts:
            restarts.clear()
            restart_with(before)
            at_once([register_server])

    with patch.object(reconcile, "failpoint", restart):
        resync_periods.resync_due(NOON)

    assert not restarts
    agree(period)


def test_where_redis_does_not_take_what_was_committed_sql_answers() -> None:
    board = make_board("hybrid")
    crowd(board, {"ann": 1, "bob": 2})
    with redis_client() as client:

        def fill(step: str) -> None:
            if step == "submit.before_publish":
                client.config_set("maxmemory", 1)

        try:
            with patch.object(publish, "failpoint", fill):
                score(board, {"ann": 100})
            bring_to_rest()
            assert shown(board) == (False, [("ann", 100), ("bob", 2)])
        finally:
            client.config_set("maxmemory", 0)
    agree(period_of(board))


@pytest.mark.parametrize("damage", ["a key of another type", "rules that nobody can read"])
def test_one_damaged_period_keeps_no_other_waiting(damage: str) -> None:
    bad, good = (crowd(make_board("hybrid", name=name), {"ann": 1}) for name in ("Bad", "Good"))
    with redis_client() as client:
        client.delete(good.family.gen, good.family.zset)
        if damage == "a key of another type":
            client.set(bad.family.inflight, "x")
        else:
            Period.objects.filter(pk=bad.pk).update(rules_json={}, stale_since=NOON - timedelta(days=1))

    with suppress(redis.RedisRefused):
        resync_periods.resync_due(NOON)

    good.refresh_from_db()
    assert good.stale_since is None
    assert in_redis(good)


@POSTGRESQL
def test_a_writer_frozen_while_redis_is_away_holds_up_nobody_else() -> None:
    period = crowd(make_board("hybrid"), {"ann": 1, "bob": 2})
    with patch.object(Publisher, "announce", side_effect=redis.RedisAway("away")):
        frozen = resting("submit.before_commit", lambda: score(period.board, {"ann": 5}))
        assert seconds(lambda: score(period.board, {"bob": 7})) < HELD_UP
        frozen.join()
    agree(period)


@POSTGRESQL
def test_marking_what_a_memory_lacks_holds_up_nobody_for_one_who_is_frozen() -> None:
    period = followed({"ann": 1, "bob": 2, "zoe": 3})
    score(period.board, {"ann": 10, "bob": 11, "zoe": 12})
    restart_with(files())
    frozen: list[Thread] = []
    taken: list[float] = []

    def late() -> None:
        time.sleep(0.2)
        taken.append(seconds(lambda: score(period.board, {"ann": 60})))
        connection.close()

    def meanwhile(step: str) -> None:
        if step == "settle.after_generation" and not frozen:
            frozen.append(resting("submit.before_commit", lambda: score(period.board, {"zoe": 50})))
            frozen.append(Thread(target=late, daemon=True))
            frozen[1].start()

    with patch.object(resyncing, "failpoint", meanwhile):
        resync_periods.resync_due(NOON)
    for thread in frozen:
        thread.join()

    assert max(taken) < HELD_UP
    agree(period)


def test_a_redis_board_takes_scores_as_soon_as_it_is_settled() -> None:
    board = make_board("redis")
    period = crowd(board, {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    assert score(board, {"ann": 2})[0].code in ("unavailable", None)  # this process has read the row by now

    at_once([lambda: resync_periods.resync_due(NOON)])

    assert score(board, {"ann": 3})[0].status.is_accepted


def test_rules_do_not_change_under_a_score_by_a_clock_that_is_ahead() -> None:
    board = make_board("redis", update="increment")
    period = period_of(board)
    begins = period.window.starts_at or NOON
    set_generation, ahead = ZsetSync.set_generation, [begins + timedelta(milliseconds=200)]

    def outrun(settler: ZsetSync, where: Period, *args: Any, **how: Any) -> int | None:
        while ahead:
            score(board, {"ann": 900}, ahead.pop())
        return set_generation(settler, where, *args, **how)

    board.minimum = -100_000
    board.save()
    with clock.freeze_at(begins - timedelta(milliseconds=500)), patch.object(ZsetSync, "set_generation", outrun):
        upcoming_rules.refresh_rules(board)

    assert shown(board, begins + timedelta(seconds=5))[1] == [("ann", 900)]


@POSTGRESQL
def test_who_drew_a_generation_and_does_not_commit_holds_up_nobody() -> None:
    one, other = make_board("hybrid", name="One"), make_board("hybrid", name="Other")
    period_of(one)
    one.minimum = -5
    with transaction.atomic():
        one.save()
        upcoming_rules.refresh_rules(one)
        [taken] = at_once([lambda: seconds(lambda: score(other, {"ann": 2}, NOON + timedelta(days=30)))])
    assert taken < HELD_UP
