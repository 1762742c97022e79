"""Settling: what Redis lost comes back, and what only Redis has is never thrown away."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation.models import DrawnGeneration
from foundation.redis import client as redis
from foundation.redis.client import RedisRefused, RedisSilent
from leaderboards.models import Period, Standing
from leaderboards.services.sync import reconcile
from leaderboards.services.sync import restore as restoring
from leaderboards.services.sync import resync_periods as settling
from leaderboards.services.sync.resync_periods import PeriodResync, resync_due
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.sync import ZsetSync
from tests.at_once import at_once
from tests.contracts.arena import NOW, Arena, Sent
from tests.leaderboards.services.contest import opened, send_to, told
from tests.leaderboards.services.site import WHO_DECIDES, files, make_board, redis_client, restart_with
from tests.raw import ONE_SERVER

FIRST = (Sent("a", 3, 5000), Sent("b", 3, 4000), Sent("c_d", 8, 10))


def begun(storage: str, stale: bool = False, lost: bool = False) -> Arena:
    """A board with three players; ``stale`` is to be settled, ``lost`` has nothing in Redis any more."""
    arena = opened(storage)
    arena.send(*FIRST)
    if stale:
        Period.objects.filter(pk=arena.period.pk).update(stale_since=NOW)
    if lost:
        with redis_client() as client:
            client.flushdb()
    return arena


def agree(arena: Arena) -> None:
    """Redis and SQL, which has followed, say what the oracle says."""
    arena.period.refresh_from_db()
    arena.agree()
    arena.mirror()
    arena.agree_in_sql()


def test_a_settle_that_was_cut_off_throws_nothing_away_that_only_redis_has() -> None:
    arena = begun("redis", stale=True)
    with patch.object(settling, "restore", side_effect=RedisSilent("silent")), pytest.raises(RedisSilent):
        PeriodResync(arena.period).resync()

    assert PeriodResync(arena.period).resync()

    agree(arena)


def test_memory_of_an_earlier_generation_keeps_what_it_has_and_gets_what_sql_has() -> None:
    arena = begun("redis")
    arena.mirror()
    arena.send(Sent("only redis", 5, 100))
    later = arena.period.generation + 1_000_000
    Period.objects.filter(pk=arena.period.pk).update(generation=later, stale_since=NOW)
    Standing.objects.filter(player__external_id="a").update(version=1_000)
    DrawnGeneration.objects.create(pk=later + 1)
    if connection.vendor == "postgresql":
        sequence = "pg_get_serial_sequence('leaderboards_drawngeneration', 'id')"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT setval({sequence}, %s)", [later + 1])

    assert PeriodResync(arena.period).resync()

    agree(arena)


def test_two_at_once_do_no_harm() -> None:
    arena = begun("hybrid", stale=True, lost=True)

    settled = at_once([lambda: PeriodResync(arena.period).resync()] * 2)
    resync_due(NOW)

    assert any(settled)
    agree(arena)


def test_it_is_settled_although_somebody_scores_all_the_while() -> None:
    arena = begun("hybrid", stale=True)

    def outrun(period: Period) -> int:
        arena.send(Sent("late", 4, 1))
        return reconcile.reconcile(period)

    with patch.object(settling, "reconcile", outrun):
        assert PeriodResync(arena.period).resync()

    agree(arena)


@pytest.mark.parametrize("step", ["settle.after_marked_chunk", "settle.after_rebuilt_chunk", "reconcile.after_claim"])
def test_who_scores_between_our_read_and_our_put_is_shown_as_they_are_now(step: str) -> None:
    arena = begun("hybrid", lost=True)
    overtaken = iter([Sent("a", 9, 6000), Sent("newcomer", 1, 1)])

    def score(name: str) -> None:
        if name == step:
            arena.send(*overtaken)

    with patch.object(reconcile, "failpoint", score):
        resync_due(NOW)
        resync_due(NOW)

    assert Period.objects.get(pk=arena.period.pk).stale_since is None
    agree(arena)


@patch.object(settling, "PROGRESS_SECONDS", 0)
@patch.object(reconcile, "CHUNK", 2)
def test_chunk_by_chunk_it_clears_all_marks_and_says_how_far_it_is() -> None:
    arena = begun("hybrid", stale=True, lost=True)
    arena.send(*[Sent(f"p{number}", number, number) for number in range(1, 6)])
    seen: list[int] = []

    PeriodResync(
        arena.period, on_progress=lambda _: seen.append(Period.objects.get(pk=arena.period.pk).rebuild_progress)
    ).resync()

    assert seen == [2, 4, 6, 8, 8, 8, 8]  # all of them, then who is marked
    assert not Standing.objects.filter(pending_publish=True).exists()
    agree(arena)


@pytest.mark.parametrize(
    ("storage", "module", "size"), [("hybrid", reconcile, "CHUNK"), ("redis", restoring, "ENTRIES_PER_CALL")]
)
def test_how_far_it_is_is_not_committed_with_each_chunk(storage: str, module: ModuleType, size: str) -> None:
    arena = begun(storage)
    if storage == "redis":
        arena.mirror()
    with redis_client() as client:
        client.flushdb()
    Period.objects.filter(pk=arena.period.pk).update(stale_since=NOW)
    chunks: list[int] = []

    with patch.object(module, size, 1), CaptureQueriesContext(connection) as said:
        PeriodResync(
            Period.objects.get(pk=arena.period.pk), on_progress=lambda row: chunks.append(row.rebuild_progress)
        ).resync()

    commits = [each for each in said if each["sql"].startswith("UPDATE") and 'SET "rebuild_progress"' in each["sql"]]
    assert max(chunks) >= len(FIRST)
    assert len(commits) == 1


def test_what_was_announced_and_not_published_is_shown_as_sql_has_it() -> None:
    arena = begun("hybrid")
    publisher = Publisher(redis.boards())
    with patch.object(Publisher, "send_prepared", side_effect=RedisSilent("silent")):
        arena.send(Sent("a", 9, 7000))  # committed, and its writer was not heard
    publisher.announce(arena.period, ["b", "ghost"], "of a writer that rolled back")
    assert [*publisher.inflight(arena.period)] != []

    resync_due(NOW)

    assert [*publisher.inflight(arena.period)] == []
    agree(arena)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite numbers no transactions: all of it is put again")
def test_a_memory_that_had_followed_sql_gets_what_came_later_and_nothing_else() -> None:
    arena = begun("hybrid")
    arena.send(*[Sent(f"p{number}", number, number) for number in range(1, 6)])
    with patch.object(settling, "WATERMARK_SECONDS", 1):
        resync_due(NOW)
    older = files()
    arena.send(Sent("a", 5, 6000), Sent("newcomer", 2, 1))
    arena.remove("c_d")
    restart_with(older)

    with patch.object(Publisher, "fill", side_effect=AssertionError("all of it")), recorded_marks() as marked:
        resync_due(NOW)
    redis.boards().reset()

    assert marked == [3]
    agree(arena)


@contextmanager
def recorded_marks() -> Iterator[list[int]]:
    """How many standings were marked, each time."""
    marked: list[int] = []
    mark = reconcile.mark_changed_since
    with patch.object(settling, "mark_changed_since", lambda *args: marked.append(mark(*args))):
        yield marked


@WHO_DECIDES
def test_a_server_nobody_knows_is_away_until_it_is_greeted(storage: str) -> None:
    arena = begun(storage)
    restart_with(files())

    if storage == "redis":
        assert told(send_to(arena, {"player": "b", "points": 9})) == ["unavailable"]
    else:
        arena.send(Sent("b", 9, 3))
        arena.agree(live=False)
        assert Standing.objects.get(player__external_id="b").pending_publish
    resync_due(NOW)
    redis.boards().reset()

    agree(arena)


@pytest.mark.parametrize("lost", [False, True])
def test_nobody_asks_redis_within_a_transaction_of_sql(lost: bool) -> None:
    """A Redis that froze at that moment would hold up whoever waits for the locks."""
    arena = begun("hybrid", stale=True, lost=lost)
    Standing.objects.filter(player__external_id="a").update(pending_publish=True)
    if not lost:
        Publisher(redis.boards()).announce(arena.period, ["b"], "of a dead writer")
    exchange = redis.RedisClient._exchange

    def outside(link: redis.RedisClient, *sent: Any) -> list[Any]:
        assert not connection.in_atomic_block
        return exchange(link, *sent)

    with patch.object(redis.RedisClient, "_exchange", outside):
        resync_due(NOW)

    agree(arena)


def test_a_board_that_cannot_be_brought_back_keeps_no_other_waiting() -> None:
    refused = begun("redis")
    refused.mirror()
    arena = begun("hybrid", lost=True)

    with patch.object(ZsetSync, "restore", side_effect=RedisRefused("OOM command not allowed")):
        resync_due(NOW)

    agree(arena)
    refused.period.refresh_from_db()
    assert refused.period.stale_since is not None
    resync_due(NOW)
    refused.period.refresh_from_db()
    assert refused.period.stale_since is None


def test_who_takes_no_scores_meanwhile_is_brought_back_first() -> None:
    begun("hybrid", stale=True)
    begun("redis", stale=True)
    order: list[str] = []

    def note(resync: PeriodResync) -> bool:
        order.append(resync.row.board.storage)
        return False

    with patch.object(PeriodResync, "try_resync", note):
        resync_due(NOW)

    assert order == ["redis", "hybrid"]


@ONE_SERVER
def test_a_quiet_second_asks_once_for_each_period() -> None:
    for number in range(6):
        make_board("hybrid" if number % 2 else "redis", NOW, name=f"Board {number}")
    resync_due(NOW)
    periods, asked = Period.objects.count(), []
    exchange = redis.RedisClient._exchange

    def counted(link: redis.RedisClient, commands: Sequence[Any]) -> list[Any]:
        asked.append(len(commands))
        return exchange(link, commands)

    with patch.object(redis.RedisClient, "_exchange", counted), patch.object(settling, "watermark", lambda: 0):
        resync_due(NOW)

    assert periods == 12
    assert [count for count in asked if count] == [periods]  # in one round trip; who is there was read on connecting
