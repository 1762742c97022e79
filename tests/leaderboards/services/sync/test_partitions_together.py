"""The partitions of a period are resynced together: its writers wait for one barrier a step, not for one a row.

The next period of the board is there too, and lost likewise.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError

from foundation import clock
from foundation.db.resilience import SqlBusy
from foundation.redis.client import RedisRefused
from foundation.sync import barrier, resync_together, resyncing
from foundation.sync.resync_together import resync_each
from leaderboards.core.submissions import Status
from leaderboards.models import Partition, Period
from leaderboards.services.sync.resync_periods import PeriodResync, resync_due
from leaderboards.services.sync.staleness import stale_parts
from leaderboards.stores.redis.sync import ZsetSync
from tests.at_once import at_once
from tests.leaderboards.services.divided import POINTS, expected, names_in, opened, shown, stale_numbers
from tests.leaderboards.services.site import NOON, WHO_DECIDES, files, redis_client, restart_with, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


@contextmanager
def barriers() -> Iterator[list[int]]:
    """The periods whose barrier is held exclusively, each time, for as long as the block lasts."""
    hold, held = barrier.hold_exclusive, list[int]()

    def noted(number: int, *args: Any, **named: Any) -> None:
        held.append(number)
        hold(number, *args, **named)

    with patch.object(barrier, "hold_exclusive", noted):
        yield held


def all_stale(period: Period, **columns: Any) -> None:
    Partition.objects.filter(period=period).update(stale_since=NOON, **columns)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)


@WHO_DECIDES
def test_a_server_that_comes_back_takes_one_barrier_for_each_step_of_all_its_partitions(storage: str) -> None:
    """Fault: each partition had two or three barriers of its own, and a server with many healed for a minute."""
    board, period = opened(storage, partitions=16)
    before = files()
    restart_with(before)

    with barriers() as held:
        resynced = resync_due(NOON)

    assert resynced == 2 * 16
    # To be registered, assessed once more, where SQL decides filled from it, and declared synced.
    assert held.count(period.pk) == (4 if storage == "hybrid" else 3)
    period.refresh_from_db()
    assert (period.stale_since, stale_numbers(period)) == (None, set())
    assert not Partition.objects.filter(lease_expires_at__isnull=False).exists()
    assert shown(board) == (expected(POINTS), True)
    assert {each.status for each in score(board, dict.fromkeys(POINTS, 500))} == {Status.UPDATED}


@WHO_DECIDES
def test_memory_that_all_partitions_lost_comes_back(storage: str) -> None:
    board, period = opened(storage)
    with redis_client() as client:
        client.flushdb()

    assert resync_due(NOON) == 2 * 4

    period.refresh_from_db()
    assert (period.stale_since, stale_numbers(period)) == (None, set())
    assert shown(board) == (expected(POINTS), True)


def test_a_partition_that_cannot_be_resynced_keeps_no_other_from_it() -> None:
    board, period = opened("redis")
    all_stale(period)
    restore = ZsetSync.raise_sequence

    def refused(store: ZsetSync, part: Partition, sequence: int) -> None:
        if part.number == 2:
            raise RedisRefused("OOM command not allowed")
        restore(store, part, sequence)

    with patch.object(ZsetSync, "raise_sequence", refused):
        assert resync_due(NOON) == 3

    period.refresh_from_db()
    assert (period.stale_since, stale_numbers(period)) == (NOON, {2})
    told = {str(each.player): each.code or each.status.value for each in score(board, dict.fromkeys(POINTS, 500))}
    assert told == dict.fromkeys(POINTS, "updated") | dict.fromkeys(names_in(period, 2), "unavailable")
    assert resync_due(NOON) == 1
    assert shown(board)[1]


def test_partitions_are_resynced_one_by_one_if_one_of_them_breaks_the_step_of_all() -> None:
    board, period = opened("redis")
    all_stale(period)
    assign = PeriodResync.assign_locked

    def broken(resync: PeriodResync, *args: Any) -> Any:
        if getattr(resync.row, "number", None) == 1:
            raise ValueError("no such thing")
        return assign(resync, *args)

    with patch.object(PeriodResync, "assign_locked", broken):
        assert resync_due(NOON) == 3

    assert stale_numbers(period) == {1}
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(POINTS), True)


def test_a_barrier_that_is_held_fences_all_partitions_of_an_unknown_server_after_one_wait() -> None:
    """Fault: each of them waited for it a second, one after the other."""
    board, period = opened("hybrid")
    restart_with(files())

    with patch.object(barrier, "hold_exclusive", side_effect=SqlBusy("Somebody is at it.")) as tried:
        assert resync_due(NOON) == 0

    assert tried.call_count == 2 * 2  # to be registered, and to be resynced
    assert shown(board) == (expected(POINTS), False)
    assert resync_due(NOON) == 2 * 4
    assert shown(board) == (expected(POINTS), True)
    period.refresh_from_db()
    assert period.stale_since is None


@WHO_DECIDES
def test_a_step_that_takes_longer_than_a_lease_is_begun_by_nobody_else(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, period = opened(storage)
    all_stale(period, needs_full_rebuild=storage == "hybrid")
    for name in ("LEASE", "BLOCKING_LEASE"):
        monkeypatch.setattr(resyncing, name, timedelta(seconds=0.4))
    monkeypatch.setattr(resyncing, "LEASE_RENEWAL_SECONDS", 0.1)
    others: list[int] = []

    def slow(step: str) -> None:
        if step != "settle.after_renew" or others:
            return
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            others.extend(at_once([lambda: resync_each([PeriodResync(part) for part in stale_parts()])]))

    with patch.object(resyncing, "failpoint", slow):
        assert resync_due(NOON) == 4

    assert others
    assert not any(others)
    assert shown(board) == (expected(POINTS), True)


def test_sql_that_goes_away_meanwhile_is_told() -> None:
    _, period = opened("redis")
    all_stale(period)

    with (
        patch.object(resync_together, "_declare", side_effect=OperationalError("closed unexpectedly")),
        pytest.raises(OperationalError),
    ):
        resync_due(NOON)

    assert stale_numbers(period) == {0, 1, 2, 3}
    assert resync_due(NOON) == 4
