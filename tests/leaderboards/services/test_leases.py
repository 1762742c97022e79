"""Several who settle one period: one is at it, and who freezes or is slow keeps nobody from it, or from its end."""

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread, current_thread
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.models.functions import Now

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.sync import settling
from foundation.sync.settling import greet
from leaderboards.models import Period
from leaderboards.services import restore, settle
from leaderboards.services.mirror import mirror
from leaderboards.stores.zset_publish import Publisher
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import Put
from tests.at_once import at_once
from tests.leaderboards.services.coming_back import POSTGRESQL, agree, bring_to_rest, followed, shown
from tests.leaderboards.services.site import (
    NOON,
    WHO_DECIDES,
    crowd,
    files,
    make_board,
    restart_with,
    score,
)
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("step", ["settle.after_generation", "settle.after_renew", "settle.after_restored_chunk"])
@pytest.mark.parametrize("lost", [True, False], ids=["lost", "kept"])
def test_who_freezes_while_he_brings_a_redis_board_back_is_replaced_after_two_seconds(step: str, lost: bool) -> None:
    board = make_board("redis")
    period = crowd(board, {"ann": 1, "bob": 2, "cat": 3})
    mirror(period)
    before = files()
    score(board, {"ann": 4})
    mirror(period)
    restart_with({} if lost else before)
    greet()
    there, go_on = Event(), Event()

    def freeze(name: str) -> None:
        if name == step and current_thread() is frozen and not there.is_set():
            there.set()
            go_on.wait(20)

    def run() -> None:
        with suppress(Unavailable):
            settle.PeriodSettling(period).settle()
        connection.close()

    frozen = Thread(target=run, daemon=True)
    with (
        patch.object(settling, "BEAT_SECONDS", 60.0),  # a process that is frozen renews nothing; a thread would
        patch.object(settling, "failpoint", freeze),
        patch.object(restore, "failpoint", freeze),
    ):
        frozen.start()
        assert there.wait(10)
        began = time.monotonic()
        while not settle.PeriodSettling(period).settle():
            assert time.monotonic() - began < 5
            time.sleep(0.05)
        took = time.monotonic() - began
        settled = shown(board)
        go_on.set()
        frozen.join(10)

    assert took < 2.5
    assert settled == shown(board) == (True, [("ann", 4), ("cat", 3), ("bob", 2)])
    agree(period)


@WHO_DECIDES
def test_a_step_that_takes_longer_than_a_lease_is_not_begun_again_by_others(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = crowd(make_board(storage), {"ann": 1, "bob": 2})
    mirror(period)
    for name, seconds_ in (("LEASE", 0.4), ("SHUT_LEASE", 0.4)):
        monkeypatch.setattr(settling, name, timedelta(seconds=seconds_))
    monkeypatch.setattr(settling, "BEAT_SECONDS", 0.1)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, whole=storage == "hybrid")
    others: list[bool] = []

    def slow(step: str) -> None:
        if step != "settle.after_renew" or others:
            return
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            others.extend(at_once([settle.PeriodSettling(period).settle]))

    with patch.object(settling, "failpoint", slow), patch.object(settle, "failpoint", slow):
        assert settle.PeriodSettling(period).settle()

    assert others
    assert not any(others)
    agree(period)


@WHO_DECIDES
def test_a_worker_an_hour_fast_breaks_nobodys_lease(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    others: list[bool] = []

    def meanwhile(step: str) -> None:
        if step == "settle.before_declared":
            with clock.stand_at(clock.now() + timedelta(hours=1)):
                others.append(settle.PeriodSettling(period)._lease())

    with patch.object(settling, "failpoint", meanwhile):
        assert settle.PeriodSettling(period).settle()

    assert others == [False]


@WHO_DECIDES
def test_a_worker_an_hour_fast_that_is_killed_keeps_others_away_no_longer_than_any_other(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    for name in ("LEASE", "SHUT_LEASE"):
        monkeypatch.setattr(settling, name, timedelta(seconds=0.2))
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    with clock.stand_at(clock.now() + timedelta(hours=1)):
        assert settle.PeriodSettling(period)._lease()  # and then `kill -9`

    give_up = time.monotonic() + 10
    while not settle.PeriodSettling(period).settle():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@WHO_DECIDES
def test_a_lease_from_before_sqls_clock_was_set_back_keeps_nobody_away(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    an_hour_later = Now() + timedelta(hours=1)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, settling_until=an_hour_later)

    assert settle.PeriodSettling(period).settle()


@POSTGRESQL
def test_a_second_settler_does_not_turn_a_cheap_return_into_a_whole_one() -> None:
    period = followed({f"p{number}": number for number in range(1, 30)})
    restart_with(files())
    others: list[Any] = []
    placed: list[int] = []
    place = Publisher.place_all

    def place_all(publisher: Publisher, where: Period, rows: Sequence[Put]) -> None:
        placed.append(len(rows))
        place(publisher, where, rows)

    def meanwhile(step: str) -> None:
        if step == "settle.after_generation" and not others and Period.objects.get(pk=period.pk).stale_since:
            others.append(True)
            at_once([lambda: settle.settle_due(NOON)])

    with patch.object(settling, "failpoint", meanwhile), patch.object(Publisher, "place_all", place_all):
        settle.settle_due(NOON)
        bring_to_rest()

    assert others
    assert placed == []
    agree(period)


@WHO_DECIDES
def test_one_hiccup_of_redis_costs_one_round_and_not_a_lease(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, whole=storage == "hybrid")
    renew, silent = ZsetSettler.renew, [redis.RedisSilent("one time-out")]

    def hiccup(settler: ZsetSettler, *args: Any, **how: Any) -> int | None:
        if silent:
            raise silent.pop()
        return renew(settler, *args, **how)

    with patch.object(ZsetSettler, "renew", hiccup):
        settle.settle_due(NOON)
        settle.settle_due(NOON)

    period.refresh_from_db()
    assert period.stale_since is None
