"""Likes that Redis decides over: decided, mirrored by many at once, lost and brought back."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import inf

import pytest
from django.db import DataError

from foundation import redis
from foundation.models import DeadLetter, KnownRedis
from foundation.redis import RedisAway, RedisSilent
from likes import registry
from likes.core.keys import KindKeys, ThingKeys
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable, LikeUnknown
from likes.models import Like, LikeChange, LikeCount, LikeKind
from likes.registry import Likeable
from likes.selectors.lag import lag
from likes.services import mirror as mirroring
from likes.services.check import check_all
from likes.services.settle import settle_due
from likes.stores import kinds
from likes.stores.base import Liker, Shown
from likes.stores.redis import RedisStore
from tests.at_once import at_once
from tests.likes.applause import KIND, NOW, Told, applause, in_redis, in_sql, is_dirty

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
PLAYERS = [f"player {nth}" for nth in range(64)]


@pytest.fixture
def kind(links: None) -> Iterator[Likeable]:
    """Liked once."""
    with applause() as likeable:
        yield likeable


@pytest.fixture
def clap(links: None) -> Iterator[Likeable]:
    """Liked any number of times."""
    with applause(repeatable=True) as likeable:
        yield likeable


def flush() -> None:
    """Redis forgets everything, and stays the server that it is."""
    redis.settling().call("FLUSHDB")


class TestDeciding:
    def test_a_like_is_there_once(self, kind: Likeable) -> None:
        store = RedisStore(kind)

        said = [store.like("1", "a", NOW), store.like("1", "a", LATER), store.like("1", "b", NOW)]

        assert said == [Shown(1, 1), Shown(1, 1), Shown(2, 1)]
        assert store.read(["2", "1"], "a") == [Shown(0, 0), Shown(2, 1)]
        assert store.read(["1"], None) == [Shown(2, 0)]
        assert store.likers("1", 0, 10).rows == [Liker("b", 1, NOW), Liker("a", 1, NOW)]

    def test_each_clap_counts_and_only_ones_own_are_taken_back(self, clap: Likeable) -> None:
        store = RedisStore(clap)
        for player in ("a", "a", "b"):
            store.like("1", player, NOW)

        said = [store.unlike("1", "b", LATER), store.unlike("1", "b", LATER), store.unlike("1", "a", LATER)]

        assert said == [Shown(2, 0), Shown(2, 0), Shown(1, 1)]
        assert store.take_back("1", "a", LATER) == Shown(0, 0)
        assert in_redis("1", repeatable=True) == Told(0, {})

    def test_what_changes_nothing_leaves_no_mark(self, kind: Likeable) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        mirroring.mirror(kind)

        store.like("1", "a", LATER)
        store.unlike("1", "b", LATER)

        assert not is_dirty()

    def test_a_count_that_was_damaged_never_goes_below_nothing(self, kind: Likeable) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        redis.settling().call("SET", ThingKeys(KIND, "1").count, 0)

        assert store.unlike("1", "a", NOW) == Shown(0, 0)

    def test_a_clock_that_is_behind_moves_no_time_back(self, clap: Likeable) -> None:
        store = RedisStore(clap)

        store.like("1", "a", LATER)
        store.like("1", "a", NOW)

        assert store.likers("1", 0, 1).rows == [Liker("a", 2, LATER)]


class TestRedisAway:
    def test_writes_are_refused_and_reads_come_from_sql(self, kind: Likeable, monkeypatch: pytest.MonkeyPatch) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        mirroring.mirror(kind)
        monkeypatch.setattr(redis.Link, "run", refuse(RedisAway("away")))

        with pytest.raises(LikesUnavailable):
            store.like("1", "b", NOW)

        assert store.read(["1", "2"], "a") == [Shown(1, 1, live=False), Shown(0, 0, live=False)]
        assert store.likers("1", 0, 5).rows == [Liker("a", 1, NOW)]
        assert not store.likers("1", 0, 5).live

    @pytest.mark.parametrize(("repeatable", "word"), [(False, "safe to ask"), (True, "may count twice")])
    def test_no_answer_in_time_says_whether_it_is_safe_to_ask_again(
        self, links: None, monkeypatch: pytest.MonkeyPatch, repeatable: bool, word: str
    ) -> None:
        with applause(repeatable) as kind:
            RedisStore(kind).like("1", "a", NOW)
            monkeypatch.setattr(redis.Link, "run", refuse(RedisSilent("silence")))

            with pytest.raises(LikeUnknown, match=word):
                RedisStore(kind).like("1", "a", NOW)

    def test_a_kind_that_was_never_settled_takes_no_likes(self, links: None) -> None:
        unknown = Likeable("unknown", boards=dict.fromkeys, storage=Storage.REDIS)

        with pytest.raises(LikesUnavailable):
            RedisStore(unknown).like("1", "a", NOW)

        assert RedisStore(unknown).read(["1"], "a") == [Shown(0, 0, live=False)]

    def test_while_sql_is_away_likes_go_on(self, kind: Likeable, monkeypatch: pytest.MonkeyPatch) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        monkeypatch.setattr(kinds._generations, "_fresh", 0.0)
        monkeypatch.setattr("foundation.sql._Breaker.silent_until", float("inf"))

        assert store.like("1", "b", NOW) == Shown(2, 1)
        assert store.read(["1"], "a") == [Shown(2, 1)]


def refuse(error: Exception) -> object:
    """A call that comes to nothing."""

    def call(*_: object, **__: object) -> None:
        raise error

    return call


class TestMirror:
    def test_it_copies_states_and_moves_the_counts_with_them(self, clap: Likeable) -> None:
        store = RedisStore(clap)
        for player in ("a", "b", "a"):
            store.like("x:1", player, NOW)
        mirroring.mirror(clap)
        store.unlike("x:1", "b", LATER)
        store.like("x:1", "a", LATER)

        assert (mirroring.mirror(clap), mirroring.mirror(clap)) == (2, 0)

        assert in_sql("x:1") == Told(3, {"a": 3})
        assert Like.objects.get(player__external_id="b").amount == 0

    def test_what_is_told_is_the_new_total(self, links: None) -> None:
        told: list[dict[str, int]] = []
        with applause() as kind:
            tells = Likeable(
                KIND, boards=dict.fromkeys, storage=Storage.REDIS, counted=lambda new: told.append({**new})
            )
            for thing, player in (("1", "a"), ("1", "b"), ("2", "a")):
                RedisStore(kind).like(thing, player, NOW)
            mirroring.mirror(tells)
            RedisStore(kind).unlike("2", "a", NOW)
            mirroring.mirror(tells)

        assert told == [{"1": 2, "2": 1}, {"2": 0}]

    def test_a_mark_of_a_later_state_stays(self, kind: Likeable, monkeypatch: pytest.MonkeyPatch) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        write = mirroring._write

        def overtaken(*args: object) -> None:
            write(*args)  # type: ignore[arg-type]  # as it came
            monkeypatch.setattr(mirroring, "_write", write)
            store.unlike("1", "a", LATER)

        monkeypatch.setattr(mirroring, "_write", overtaken)

        mirroring._mirror_chunk(kind, mirroring.present_generation)

        assert (in_sql("1"), is_dirty()) == (Told(1, {"a": 1}), True)
        mirroring.mirror(kind)
        assert (in_sql("1"), is_dirty()) == (Told(0, {}), False)

    def test_an_earlier_state_that_comes_late_changes_nothing(self, kind: Likeable) -> None:
        RedisStore(kind).like("1", "a", NOW)
        mirroring.mirror(kind)
        redis.settling().call("HSET", KindKeys(KIND).dirty, "1\na", "1|0|1772625600000")

        mirroring.mirror(kind)

        assert (in_sql("1"), is_dirty()) == (Told(1, {"a": 1}), False)

    def test_a_like_that_sql_refuses_keeps_no_other_waiting(self, links: None) -> None:
        with applause() as kind:
            poisoned = replace(kind, counted=refuse_thing("bad"))
            registry.provide(poisoned)
            for nth in range(20):
                RedisStore(kind).like("bad" if nth == 7 else str(nth), "a", NOW)

            assert mirroring.mirror_all() == 20

            letter = DeadLetter.objects.get(kind=mirroring.DEAD, resolved_at=None)
            assert (letter.subject, Like.objects.count()) == ("clap bad a", 19)
            assert mirroring.retry(letter, NOW) == letter.reason
            registry.provide(kind)
            assert mirroring.retry(letter, NOW) == ""
            assert in_sql("bad") == Told(1, {"a": 1})

    def test_a_like_that_is_given_up_is_no_difference_until_the_player_changes_it(self, links: None) -> None:
        with applause() as kind:
            registry.provide(replace(kind, counted=refuse_thing("bad")))
            RedisStore(kind).like("bad", "a", NOW)
            mirroring.mirror_all()

            mirroring.drop(DeadLetter.objects.get(), NOW)
            [given_up] = check_all(NOW, inf, kind=KIND)
            registry.provide(kind)
            RedisStore(kind).like("bad", "b", NOW)
            RedisStore(kind).unlike("bad", "a", NOW)
            RedisStore(kind).like("bad", "a", LATER)
            mirroring.mirror_all()
            assert in_sql("bad") == Told(2, {"a": 1, "b": 1})
            Like.objects.filter(player__external_id="a").update(amount=0)
            [damaged] = check_all(NOW, inf, kind=KIND)

            assert (given_up.differences, DeadLetter.objects.count()) == ([], 1)
            assert "like" in [each.where for each in damaged.differences]
            assert in_sql("bad") == Told(2, {"a": 1, "b": 1})


def refuse_thing(thing: str) -> Callable[[Mapping[str, int]], None]:
    """Somebody who wants counts back and cannot keep one of them."""

    def counted(totals: Mapping[str, int]) -> None:
        if thing in totals:
            raise DataError("no room")

    return counted


class TestManyAtOnce:
    @pytest.mark.parametrize("repeatable", [False, True])
    def test_64_threads_on_one_thing_and_two_mirrors_end_with_three_that_agree(
        self, links: None, repeatable: bool
    ) -> None:
        with applause(repeatable) as kind:
            done = threading.Event()

            def follow() -> int:
                copied = 0
                while not done.is_set():
                    copied += mirroring.mirror_all()
                return copied

            def write() -> int:
                try:
                    return sum(at_once([partial(like_at_random, kind, seed) for seed in range(64)]))
                finally:
                    done.set()

            at_once([write, follow, follow])
            mirroring.mirror(kind)

            seen = in_redis("1", repeatable)
            assert seen.count == sum(seen.by.values())
            assert in_sql("1") == seen
            assert not is_dirty()


def like_at_random(kind: Likeable, seed: int) -> int:
    """Likes given and taken back by chance; how many came to something at last."""
    dice, store = random.Random(seed), RedisStore(kind)
    for _ in range(15):
        deed, player = (store.like if dice.random() < 0.6 else store.unlike), dice.choice(PLAYERS)
        while not _went_through(partial(deed, "1", player, NOW)):
            time.sleep(0.001)  # every connection is in use, and nothing has changed
    return 15


def _went_through(deed: Callable[[], Shown]) -> bool:
    try:
        deed()
    except LikesUnavailable:
        return False
    return True


class TestSettling:
    @pytest.mark.parametrize("repeatable", [False, True])
    def test_memory_that_was_flushed_comes_back_as_sql_has_it(self, links: None, repeatable: bool) -> None:
        with applause(repeatable) as kind:
            store = RedisStore(kind)
            for player in ("a", "b", "a", "c"):
                store.like("1", player, NOW)
            store.unlike("1", "c", NOW)
            mirroring.mirror(kind)
            before = in_sql("1")
            store.like("1", "nobody has copied me", NOW)
            flush()

            assert settle_due(LATER) == 1

            assert in_redis("1", repeatable) == before
            store.unlike("1", "a", LATER)
            mirroring.mirror(kind)
            assert in_sql("1") == in_redis("1", repeatable)

    def test_a_restart_keeps_what_only_redis_has(self, kind: Likeable) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        LikeKind.objects.update(generation=1)

        assert settle_due(LATER) == 1

        assert store.read(["1"], "a") == [Shown(1, 1)]
        mirroring.mirror(kind)
        assert in_sql("1") == Told(1, {"a": 1})

    def test_an_older_memory_gets_what_sql_has_of_later(self, kind: Likeable) -> None:
        store, link = RedisStore(kind), redis.settling()
        store.like("1", "a", NOW)
        mirroring.mirror(kind)
        older = {key: link.call("DUMP", key) for key in link.call("KEYS", "{*") if b"dirty" not in key}
        store.like("1", "b", NOW)
        store.unlike("1", "a", LATER)
        mirroring.mirror(kind)
        flush()
        for key, dump in older.items():
            link.call("RESTORE", key, 0, dump)
        LikeKind.objects.update(generation=1)

        settle_due(LATER)

        assert in_redis("1") == in_sql("1") == Told(1, {"b": 1})

    def test_what_another_storage_left_is_taken_over(self, links: None) -> None:
        with applause() as kind:
            RedisStore(kind).like("1", "a", NOW)
            mirroring.mirror(kind)
        Like.objects.update(version=0)
        LikeKind.objects.update(storage=Storage.HYBRID)
        LikeCount.objects.update(count=17)
        LikeChange.objects.create(kind=KIND, thing="1", player=Like.objects.get().player, amount=1, delta=1, at=NOW)
        redis.settling().call("ZADD", ThingKeys(KIND, "2").liked_by, 1, "a view that nobody wrote back")

        with applause() as kind:
            assert RedisStore(kind).read(["1", "2"], "a") == [Shown(1, 1), Shown(0, 0)]
            assert in_sql("1") == Told(1, {"a": 1})
            assert not LikeChange.objects.exists()

    def test_a_redis_that_nobody_knows_is_away_until_its_kinds_are_settled(self, kind: Likeable) -> None:
        RedisStore(kind).like("1", "a", NOW)
        before = LikeKind.objects.get().generation
        KnownRedis.objects.all().delete()
        KnownRedis._seen.clear()
        redis.boards().reset()
        redis.settling().reset()
        with pytest.raises(LikesUnavailable):
            RedisStore(kind).like("1", "b", NOW)

        settle_due(LATER)
        redis.boards().reset()

        assert LikeKind.objects.get().generation > before
        assert RedisStore(kind).like("1", "b", NOW) == Shown(2, 1)

    def test_two_at_once_do_no_harm(self, kind: Likeable) -> None:
        RedisStore(kind).like("1", "a", NOW)
        mirroring.mirror(kind)
        flush()

        at_once([partial(settle_due, LATER)] * 4)
        settle_due(LATER)

        assert RedisStore(kind).read(["1"], "a") == [Shown(1, 1)]

    def test_what_is_late_is_said(self, kind: Likeable) -> None:
        assert lag() == ["likes that only Redis has were never copied to SQL"]

        mirroring.mirror_all()
        LikeKind.objects.update(stale_since=NOW)

        assert lag() == ["kinds of likes that Redis lacks: 1, the first since 2026-03-04 12:00 UTC"]
