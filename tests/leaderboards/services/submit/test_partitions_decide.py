"""What Redis decides of a divided period: each partition by itself, and what has been decided is always told."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError

from foundation import clock
from foundation.db.resilience import SqlAway
from foundation.redis import client as redis
from foundation.redis.client import RedisRefused, RedisSilent, ScriptCall
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import RequestExpired, RulesChanged
from leaderboards.models import Partition, Period
from leaderboards.selectors.catalog.periods import clear_period_cache, reload_sync_state
from leaderboards.services.submit import decide_partitions, decide_redis
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.submit.quarantine_redis import quarantine_implausible
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.services.sync.resync_periods import PeriodResync, resync_due
from tests.leaderboards.services.divided import POINTS, deaf, names_in, opened
from tests.leaderboards.services.site import NOON, redis_client, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


def told(outcomes: list[Outcome]) -> dict[str, str]:
    return {str(each.player): each.code or each.status.value for each in outcomes}


@pytest.mark.parametrize(
    ("failure", "code"), [(RedisRefused("OOM"), "unavailable"), (RedisSilent("silent"), "outcome_unknown")]
)
def test_where_redis_decides_one_partition_that_fails_takes_its_own_entries_along_and_no_others(
    failure: Exception, code: str
) -> None:
    board, period = opened("redis")
    with deaf(period.parts[1], failure):
        words = told(score(board, dict.fromkeys(POINTS, 1000)))

    own = dict.fromkeys(names_in(period, 1), code)
    assert words == dict.fromkeys(POINTS, "updated") | own


def test_a_batch_for_all_partitions_is_sent_together() -> None:
    board, _ = opened("redis")
    sizes, exchange = list[int](), redis.RedisClient.try_many

    def counted(client: redis.RedisClient, calls: list[ScriptCall]) -> list[object]:
        if calls[0].script.name == "submit":
            sizes.append(len(calls))
        return list(exchange(client, calls))

    with patch.object(redis.RedisClient, "try_many", counted):
        score(board, dict.fromkeys(POINTS, 77))

    assert sizes == [4]


def test_the_partitions_that_were_resynced_since_their_rows_were_read_are_asked_once_more() -> None:
    board, period = opened("redis")
    score(board, {"p1": 2})  # this process has read the rows
    Partition.objects.filter(period=period, number=0).update(stale_since=NOON)
    assert resync_due(NOON) == 1

    assert {each.status for each in score(board, dict.fromkeys(POINTS, 500))} == {Status.UPDATED}


def test_a_server_that_does_not_tell_its_clock_takes_its_own_entries_along_and_no_others() -> None:
    """Fault: the scripts of all partitions were prepared together, and one such server failed the whole request."""
    board, period = opened("redis")
    silent, deadline_ms = period.parts[1], redis.RedisClient.deadline_ms

    def ask(client: redis.RedisClient, key: str, since: float | None = None) -> int:
        if key == silent.family.gen:
            raise RedisSilent("silent")
        return deadline_ms(client, key, since)

    with patch.object(redis.RedisClient, "deadline_ms", ask):
        words = told(score(board, dict.fromkeys(POINTS, 1000)))

    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(names_in(period, 1), "unavailable")


@contextmanager
def resynced_before_the_script(period: Period) -> Iterator[None]:
    """Partition 0 is resynced after its row was read, just before the first scripts are sent."""
    left = [0]

    def failpoint(name: str) -> None:
        if name == "submit.before_script" and left:
            Partition.objects.filter(period=period, number=left.pop()).update(stale_since=NOON)
            assert resync_due(NOON) == 1

    with patch.object(decide_partitions, "failpoint", failpoint):
        yield


@pytest.mark.parametrize("error", [OperationalError("closed unexpectedly"), SqlAway("SQL is away.")], ids=repr)
def test_what_was_decided_is_told_though_sql_fails_before_the_second_try(error: Exception) -> None:
    """Fault: all entries were told ``unavailable``, so who sent them again without ids counted twice."""
    board, period = opened("redis", update="increment")

    with resynced_before_the_script(period), patch.object(decide_partitions, "reload_sync_state", side_effect=error):
        words = told(score(board, dict.fromkeys(POINTS, 500)))

    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(names_in(period, 0), "unavailable")
    assert counted(period) == {name for name, word in words.items() if word == "updated"}


@pytest.mark.parametrize("error", [RequestExpired("too old"), RulesChanged()], ids=lambda error: type(error).__name__)
def test_what_was_decided_is_told_though_the_second_try_comes_too_late(error: Exception) -> None:
    """Fault: the whole request failed after most of it had been applied."""
    board, period = opened("redis", update="increment")
    tries = list[int]()

    def refuse_the_second(items: Sequence[Item]) -> None:
        if tries:
            raise error
        refuse_delayed(items)

    def reload(again: Period) -> None:
        reload_sync_state(again)
        tries.append(1)

    with (
        resynced_before_the_script(period),
        patch.object(decide_partitions, "refuse_delayed", refuse_the_second),
        patch.object(decide_partitions, "reload_sync_state", reload),
    ):
        words = told(score(board, dict.fromkeys(POINTS, 500)))

    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(names_in(period, 0), "unavailable")
    assert counted(period) == {name for name, word in words.items() if word == "updated"}


def counted(period: Period) -> set[str]:
    clear_period_cache()
    found = selectors.standings(period.board, period.label, 0, 100)
    return {row.player for row in found.rows if int(row.points or 0) >= 500}


def test_limits_hold_in_every_partition_while_another_is_stale() -> None:
    """Fault: while any partition was stale, no limit was checked and the others went on to count."""
    board, period = opened("redis", plausible_most=100)
    lost, others = period.parts[1], [name for name in POINTS if period.part_of(name) is not period.parts[1]]
    with redis_client() as client:
        client.delete(*lost.family.all_keys)
    with patch.object(PeriodResync, "resync", return_value=False):  # its server is away again
        resync_due(NOON)
    clear_period_cache()

    words = told(score(board, dict.fromkeys(POINTS, 10**6)))

    assert words == dict.fromkeys(others, "plausible_most") | dict.fromkeys(names_in(period, 1), "unavailable")


def test_limits_hold_for_a_partition_that_is_resynced_while_another_one_is_checked() -> None:
    """Fault: a stale partition was not checked, and counted once its row was read again before the scripts."""
    board, period = opened("redis", plausible_most=100)
    Partition.objects.filter(period=period, number=0).update(stale_since=NOON)
    clear_period_cache()

    def resynced_meanwhile(items: Sequence[Item], *args: Any) -> Mapping[int, EntryDecision]:
        if resync_due(NOON):
            reload_sync_state(items[0].period)
        return quarantine_implausible(items, *args)

    with patch.object(decide_redis, "quarantine_implausible", resynced_meanwhile):
        words = told(score(board, dict.fromkeys(POINTS, 10**6)))

    assert words == dict.fromkeys(POINTS, "plausible_most") | dict.fromkeys(names_in(period, 0), "unavailable")


def test_a_rehearsal_says_of_each_partition_what_would_become_of_it() -> None:
    """Fault: every rehearsal on a divided redis board failed."""
    board, period = opened("redis")
    Partition.objects.filter(period=period, number=2).update(stale_since=NOON)
    clear_period_cache()
    entries = [read_entry({"board": board.seq, "player": name, "points": 500}, at) for at, name in enumerate(POINTS)]

    words = told(submit(entries, Caller("tests"), NOON, dry_run=True))

    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(names_in(period, 2), "unavailable")
