"""Likes that Redis decides over: what is decided, by many at once too, and what is said while it is away."""

import random
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from foundation import redis
from foundation.redis import RedisAway, RedisSilent
from likes.core.keys import ThingKeys
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable, LikeUnknown
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.stores import kinds
from likes.stores.base import Liker, Shown
from likes.stores.redis import RedisStore
from tests.at_once import at_once
from tests.likes.applause import KIND, NOW, Told, applause, in_redis, in_sql, is_dirty

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
PLAYERS = [f"player {nth}" for nth in range(64)]


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
