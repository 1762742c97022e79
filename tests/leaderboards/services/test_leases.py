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

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync import resyncing
from foundation.sync.registering import register_server
from leaderboards.models import Period
from leaderboards.services.sync import restore, resync_periods
from leaderboards.services.sync.mirror import mirror
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetRow
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
    register_server()
    there, go_on = Event(), Event()

    def freeze(name: str) -> None:
        if name == step and current_thread() is frozen and not there.is_set():
            there.set()
            go_on.wait(20)

    def run() -> None:
        with suppress(Unavailable):
            resync_periods.PeriodResync(period).resync()
        connection.close()

    frozen = Thread(target=run, daemon=True)
    with (
        patch.object(
            resyncing, "LEASE_RENEWAL_SECONDS", 60.0
        ),  # a process that is frozen renews nothing; a thread would
        patch.object(resyncing, "failpoint", freeze),
        patch.object(restore, "failpoint", freeze),
    ):
        frozen.start()
        assert there.wait(10)
        began = time.monotonic()
        while not resync_periods.PeriodResync(period).resync():
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
    for name, seconds_ in (("LEASE", 0.4), ("BLOCKING_LEASE", 0.4)):
        monkeypatch.setattr(resyncing, name, timedelta(seconds=seconds_))
    monkeypatch.setattr(resyncing, "LEASE_RENEWAL_SECONDS", 0.1)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, needs_full_rebuild=storage == "hybrid")
    others: list[bool] = []

    def slow(step: str) -> None:
        if step != "settle.after_renew" or others:
            return
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            others.extend(at_once([resync_periods.PeriodResync(period).resync]))

    with patch.object(resyncing, "failpoint", slow), patch.object(resync_periods, "failpoint", slow):
        assert resync_periods.PeriodResync(period).resync()

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
            with clock.freeze_at(clock.now() + timedelta(hours=1)):
                others.append(resync_periods.PeriodResync(period)._take_lease())

    with patch.object(resyncing, "failpoint", meanwhile):
        assert resync_periods.PeriodResync(period).resync()

    assert others == [False]


@WHO_DECIDES
def test_a_worker_an_hour_fast_that_is_killed_keeps_others_away_no_longer_than_any_other(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    for name in ("LEASE", "BLOCKING_LEASE"):
        monkeypatch.setattr(resyncing, name, timedelta(seconds=0.2))
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    with clock.freeze_at(clock.now() + timedelta(hours=1)):
        assert resync_periods.PeriodResync(period)._take_lease()  # and then `kill -9`

    give_up = time.monotonic() + 10
    while not resync_periods.PeriodResync(period).resync():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@WHO_DECIDES
def test_a_lease_from_before_sqls_clock_was_set_back_keeps_nobody_away(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    an_hour_later = Now() + timedelta(hours=1)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, lease_expires_at=an_hour_later)

    assert resync_periods.PeriodResync(period).resync()


@POSTGRESQL
def test_a_second_settler_does_not_turn_a_cheap_return_into_a_whole_one() -> None:
    period = followed({f"p{number}": number for number in range(1, 30)})
    restart_with(files())
    others: list[Any] = []
    placed: list[int] = []
    place = Publisher.fill

    def fill(publisher: Publisher, where: Period, rows: Sequence[ZsetRow]) -> None:
        placed.append(len(rows))
        place(publisher, where, rows)

    def meanwhile(step: str) -> None:
        if step == "settle.after_generation" and not others and Period.objects.get(pk=period.pk).stale_since:
            others.append(True)
            at_once([lambda: resync_periods.resync_due(NOON)])

    with patch.object(resyncing, "failpoint", meanwhile), patch.object(Publisher, "fill", fill):
        resync_periods.resync_due(NOON)
        bring_to_rest()

    assert others
    assert placed == []
    agree(period)


@WHO_DECIDES
def test_one_hiccup_of_redis_costs_one_round_and_not_a_lease(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, needs_full_rebuild=storage == "hybrid")
    set_generation, silent = ZsetSync.set_generation, [redis.RedisSilent("one time-out")]

    def hiccup(settler: ZsetSync, *args: Any, **how: Any) -> int | None:
        if silent:
            raise silent.pop()
        return set_generation(settler, *args, **how)

    with patch.object(ZsetSync, "set_generation", hiccup):
        resync_periods.resync_due(NOON)
        resync_periods.resync_due(NOON)

    period.refresh_from_db()
    assert period.stale_since is None
