"""Settling kinds that Redis decides over: what comes back, and what does not."""

from collections.abc import Sequence
from functools import partial
from math import inf
from unittest.mock import patch

import pytest

from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.sync import registering
from leaderboards.models import Player
from leaderboards.services.players.erase import erase_player
from likes import registry
from likes.core.keys import ThingKeys
from likes.errors import LikesUnavailable
from likes.models import LikeKind
from likes.registry import Likeable
from likes.selectors.lag import lag
from likes.services import mirror as mirroring
from likes.services.check import check_all
from likes.services.resync import resync_due
from likes.stores.base import LikeSummary, Store
from likes.stores.redis_kind import RedisKind
from tests.at_once import at_once
from tests.contracts.likes.kinds import LATER, NOW
from tests.likes.kept import IN_REDIS, Told, in_redis, in_sql, keys_that_name
from tests.raw import all_keys, empty_boards

pytestmark = [pytest.mark.django_db(transaction=True), IN_REDIS]


class TestSettling:
    def test_memory_that_was_flushed_comes_back_as_sql_has_it_whoever_settles_at_once(
        self, kind: Likeable, store: Store
    ) -> None:
        for player in ("a", "b", "a", "c"):
            store.like("1", player, NOW)
        store.unlike("1", "c", NOW)
        mirroring.mirror(kind)
        before = in_sql(kind, "1")
        store.like("1", "nobody has copied me", NOW)
        empty_boards()  # and it stays the server that it is

        settled = at_once([partial(resync_due, LATER)] * 4)

        assert (max(settled), resync_due(LATER)) == (1, 0)
        assert in_redis(kind, "1") == before == Told(2, {"a": 1, "b": 1})
        store.unlike("1", "a", LATER)
        mirroring.mirror(kind)
        assert in_sql(kind, "1") == in_redis(kind, "1")

    def test_who_wakes_while_emptying_a_kind_deletes_nothing_of_what_another_has_put_there(
        self, kind: Likeable, store: Store
    ) -> None:
        store.like("1", "a", NOW)
        mirroring.mirror(kind)
        empty_boards()
        count = ThingKeys(kind.kind, "1", is_decided=True).count
        redis.resync_client().call("SET", count, "5")  # there is something to empty
        drop, late_ones, others = RedisKind.drop, ["the first"], list[int]()

        def late(redis_kind: RedisKind, generation: int, keys: Sequence[str]) -> None:
            if late_ones:
                late_ones.clear()
                LikeKind.objects.update(lease_expires_at=None)  # our lease has run out
                others.extend(at_once([partial(resync_due, LATER)]))
                store.like("1", "b", LATER)
            drop(redis_kind, generation, keys)

        with patch.object(RedisKind, "drop", late):
            assert resync_due(LATER) == 0

        assert others == [1]
        assert in_redis(kind, "1") == Told(2, {"a": 1, "b": 1})

    def test_a_restart_keeps_what_only_redis_has(self, kind: Likeable, store: Store) -> None:
        store.like("1", "a", NOW)
        LikeKind.objects.update(generation=1)

        assert resync_due(LATER) == 1

        assert store.read(["1"], "a") == [LikeSummary(1, 1)]
        mirroring.mirror(kind)
        assert in_sql(kind, "1") == Told(1, {"a": 1})

    def test_an_older_memory_gets_what_sql_has_of_later(self, kind: Likeable, store: Store) -> None:
        link = redis.resync_client()
        store.like("1", "a", NOW)
        mirroring.mirror(kind)
        older = {key: link.call("DUMP", key) for key in all_keys("{*") if b"dirty" not in key}
        store.like("1", "b", NOW)
        store.unlike("1", "a", LATER)
        mirroring.mirror(kind)
        empty_boards()
        for key, dump in older.items():
            link.call("RESTORE", key, 0, dump)
        LikeKind.objects.update(generation=1)

        resync_due(LATER)

        assert in_redis(kind, "1") == in_sql(kind, "1") == Told(1, {"b": 1})

    def test_a_redis_that_nobody_knows_is_away_until_its_kinds_are_settled(self, kind: Likeable, store: Store) -> None:
        store.like("1", "a", NOW)
        before = LikeKind.objects.get().generation
        KnownRedis.objects.all().delete()
        KnownRedis._seen.clear()
        redis.boards().reset()
        redis.resync_client().reset()
        with pytest.raises(LikesUnavailable):
            store.like("1", "b", NOW)

        resync_due(LATER)
        redis.boards().reset()

        assert LikeKind.objects.get().generation > before
        assert store.like("1", "b", NOW) == LikeSummary(2, 1)

    def test_a_kind_that_the_settler_does_not_know_is_away_at_once_and_keeps_all_likes(
        self, kind: Likeable, store: Store
    ) -> None:
        store.like("1", "a", NOW)
        mirroring.mirror(kind)
        before = LikeKind.objects.get().generation
        KnownRedis.objects.all().delete()
        KnownRedis._seen.clear()
        redis.resync_client().reset()
        redis.boards().reset()

        registry.unregister_kind(kind.kind)
        registering.register_server()
        with pytest.raises(LikesUnavailable):  # it remembers the generation of before
            store.like("1", "b", NOW)
        registry.register_kind(kind)
        resync_due(LATER)

        assert LikeKind.objects.get().generation > before
        assert store.like("1", "b", NOW).count == in_redis(kind, "1").count == 2

    @pytest.mark.parametrize("is_mirrored", [True, False])
    def test_an_erased_name_does_not_return_with_older_files(
        self, kind: Likeable, store: Store, is_mirrored: bool
    ) -> None:
        link = redis.resync_client()
        store.like("1", "bob", NOW)
        mirroring.mirror(kind)
        store.like("1", "ann", NOW)
        if is_mirrored:
            mirroring.mirror(kind)
        older = {key: link.call("DUMP", key) for key in all_keys("{*")}
        erase_player("ann", NOW)
        empty_boards()
        for key, dump in older.items():
            link.call("RESTORE", key, 0, dump)
        LikeKind.objects.update(generation=1)

        resync_due(LATER)
        mirroring.mirror(kind)
        check_all(LATER, inf, kind=kind.kind)

        assert not Player.objects.filter(external_id="ann").exists()
        assert in_redis(kind, "1").count == in_sql(kind, "1").count == 1
        assert keys_that_name("ann") == []

    def test_what_is_late_is_said(self, kind: Likeable, store: Store) -> None:
        store.like("1", "a", NOW)
        assert lag() == ["likes that only Redis has were never copied to SQL"]

        mirroring.mirror_all()
        LikeKind.objects.update(stale_since=NOW)

        assert lag() == ["kinds of likes that Redis lacks: 1, the first since 2026-03-04 12:00 UTC"]
