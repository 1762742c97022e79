"""Settling: what Redis lost comes back, and what only Redis has is never thrown away."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import redis as driver
from django.conf import settings
from django.db import connection

from foundation import redis
from foundation.models import KnownRedis
from foundation.redis import RedisSilent
from leaderboards.core.instants import milliseconds
from leaderboards.core.rules import Order, Ties, Update
from leaderboards.core.submissions import Outcome, Status
from leaderboards.models import Period, Standing
from leaderboards.services import missing
from leaderboards.services import settle as settling
from leaderboards.services.settle import settle, settle_due
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import Put, ZsetWriter
from tests.contracts.arena import NOW, Arena, Sent
from tests.contracts.forms import FORMS, Form

pytestmark = pytest.mark.django_db(transaction=True)

MEMBER = next(form for form in FORMS if form.name == "member")
FIRST = (Sent("a", 3, 5000), Sent("b", 3, 4000), Sent("c_d", 8, 10))


def opened(storage: str, update: Update = Update.BEST) -> Arena:
    return Arena.open(MEMBER, storage, Order.DESC, update, Ties.FIRST_COME)


def mark_stale(arena: Arena) -> None:
    Period.objects.filter(pk=arena.period.pk).update(stale_since=NOW)


class TestRedisStorage:
    def test_a_settle_that_was_cut_off_throws_nothing_away_that_only_redis_has(
        self, links: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arena = opened("redis")
        arena.send(*FIRST)
        mark_stale(arena)
        monkeypatch.setattr(settling, "_restore", cut_off)
        with pytest.raises(RedisSilent):
            settle(arena.period.pk)
        monkeypatch.undo()

        assert settle(arena.period.pk)

        arena.agree()
        arena.mirror()
        arena.agree_in_sql()

    def test_memory_of_an_earlier_generation_keeps_what_it_has_and_gets_what_sql_has(self, links: None) -> None:
        arena = opened("redis")
        arena.send(*FIRST)
        arena.mirror()
        arena.send(Sent("only redis", 5, 100))
        Period.objects.filter(pk=arena.period.pk).update(
            generation=arena.period.generation + 1_000_000, stale_since=NOW
        )
        Standing.objects.filter(player__external_id="a").update(version=1_000)
        restart_numbers_above(arena.period.generation + 1_000_000)

        assert settle(arena.period.pk)

        arena.agree()
        arena.mirror()
        arena.agree_in_sql()

    @pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
    def test_lost_memory_comes_back_as_sql_has_it_and_goes_on(self, links: None, form: Form) -> None:
        arena = Arena.open(form, "redis", Order.DESC, form.updates[-1], form.ties[0])
        arena.send(*FIRST)
        arena.mirror()
        flush()

        settle_due(NOW)
        arena.period.refresh_from_db()

        arena.agree()
        arena.send(*FIRST)
        arena.agree()
        arena.mirror()
        arena.agree_in_sql()


class TestHybridStorage:
    def test_two_at_once_do_no_harm(self, links: None) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        flush()
        mark_stale(arena)

        def settled(_: int) -> bool:
            try:
                return settle(arena.period.pk)
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(settled, range(2)))
        settle_due(NOW)

        assert any(results)
        arena.agree()
        arena.agree_in_sql()

    def test_it_is_settled_although_somebody_scores_all_the_while(
        self, links: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        mark_stale(arena)

        def outrun(period: Period, go_on: missing.GoOn) -> None:
            missing.put_missing(period, go_on)
            arena.send(Sent("late", 4, 1))

        monkeypatch.setattr(settling, "put_missing", outrun)

        assert settle(arena.period.pk)

        arena.agree()
        arena.agree_in_sql()

    def test_who_scores_between_our_read_and_our_put_is_shown_as_he_is_now(
        self, links: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        flush()
        overtaken = iter([Sent("a", 9, 6000), Sent("newcomer", 1, 1)])
        put = missing._put

        def put_what_is_old_by_now(period: Period, rows: Sequence[missing._Row]) -> None:
            arena.send(*overtaken)
            put(period, rows)

        monkeypatch.setattr(missing, "_put", put_what_is_old_by_now)

        settle_due(NOW)

        arena.period.refresh_from_db()
        assert arena.period.stale_since is None
        arena.agree()
        arena.agree_in_sql()

    def test_chunk_by_chunk_it_says_how_far_it_is(self, links: None, monkeypatch: pytest.MonkeyPatch) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        flush()
        mark_stale(arena)
        monkeypatch.setattr(missing, "CHUNK", 2)
        seen: list[int] = []

        settle(arena.period.pk, tell=lambda _: seen.append(Period.objects.get(pk=arena.period.pk).rebuilt))

        assert seen == [2, 3]
        arena.agree()

    def test_marks_of_several_chunks_are_all_cleared(self, links: None, monkeypatch: pytest.MonkeyPatch) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        mark_stale(arena)
        arena.send(*[Sent(f"p{number}", number, number) for number in range(1, 6)])
        monkeypatch.setattr(missing, "CHUNK", 2)

        settle_due(NOW)

        assert not Standing.objects.filter(unput=True).exists()
        arena.agree()
        arena.agree_in_sql()

    def test_an_old_unsure_token_is_put_right_and_a_player_without_a_standing_goes(self, links: None) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        forty_seconds_ago = milliseconds(NOW - timedelta(seconds=40))
        writer = ZsetWriter(redis.boards())
        dead = [Put("a", 99.0, "9223370000000000000_a"), Put("ghost", 7.0, "9223370000000000000_ghost")]
        writer.put(arena.period, dead, f"{forty_seconds_ago}-dead")
        writer.put(arena.period, [Put("b", 77.0, "9223370000000000000_b")], f"{milliseconds(NOW)}-living")

        settle_due(NOW)

        tokens = ZsetSettler(redis.settling()).tokens(arena.period)
        assert tokens == {f"{milliseconds(NOW)}-living": ["b"]}
        settle_due(NOW + timedelta(seconds=31))
        arena.agree()
        arena.agree_in_sql()

    def test_a_server_nobody_knows_is_away_until_it_is_greeted(self, links: None) -> None:
        arena = opened("hybrid")
        arena.send(*FIRST)
        a_stranger()

        arena.send(Sent("b", 9, 3))
        arena.agree(live=False)
        assert Standing.objects.get(player__external_id="b").unput
        settle_due(NOW)
        redis.boards().reset()

        arena.agree()
        arena.agree_in_sql()


def test_a_redis_board_on_an_unknown_server_takes_nothing_until_it_is_greeted(links: None) -> None:
    arena = opened("redis")
    arena.send(*FIRST)
    a_stranger()

    refused = submit_raw(arena, "b", 9)
    settle_due(NOW)
    redis.boards().reset()

    assert (refused.status, refused.code) == (Status.REJECTED, "unavailable")
    arena.period.refresh_from_db()
    arena.agree()


def cut_off(*_: object, **__: object) -> None:
    raise RedisSilent("Redis did not answer in time.")


def a_stranger() -> None:
    """As if the server had been started anew: no run_id in SQL, no connection open."""
    KnownRedis.objects.all().delete()
    KnownRedis._seen.clear()
    redis.boards().reset()
    redis.settling().reset()


def flush() -> None:
    with driver.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()


def restart_numbers_above(number: int) -> None:
    from leaderboards.models import DrawnGeneration

    DrawnGeneration.objects.create(pk=number + 1)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('leaderboards_drawngeneration', 'id'), %s)", [number + 1]
            )


def submit_raw(arena: Arena, player: str, points: int) -> Outcome:
    from leaderboards.core.entries import read_entry
    from leaderboards.core.submissions import Caller
    from leaderboards.services.submit import submit

    entry = read_entry({"board": arena.board.seq, "player": player, "points": points}, 0)
    return submit([entry], Caller("tests"), NOW)[0]
