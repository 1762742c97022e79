"""Likes that Redis lost, or has of earlier, come back."""

from datetime import timedelta
from functools import partial

import pytest

from foundation import redis
from foundation.models import KnownRedis
from likes.core.keys import ThingKeys
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable
from likes.models import Like, LikeChange, LikeCount, LikeKind
from likes.registry import Likeable
from likes.selectors.lag import lag
from likes.services import mirror as mirroring
from likes.services.settle import settle_due
from likes.stores.base import Shown
from likes.stores.redis import RedisStore
from tests.at_once import at_once
from tests.likes.applause import KIND, NOW, Told, applause, in_redis, in_sql

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
PLAYERS = [f"player {nth}" for nth in range(64)]


def flush() -> None:
    """Redis forgets everything, and stays the server that it is."""
    redis.settling().call("FLUSHDB")


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
