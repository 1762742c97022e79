"""Likes that Redis decides over: decided, mirrored, lost and brought back."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import redis as driver
from django.conf import settings

from foundation import redis
from likes import registry
from likes.core.keys import KindKeys, ThingKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeCount, LikeKind
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.services.settle import settle_due
from likes.stores.base import Liker, Shown
from likes.stores.redis import RedisStore
from tests.links import links

__all__ = ["links"]

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
LATER = NOW + timedelta(seconds=5)


@pytest.fixture(params=[False, True], ids=["once", "repeatable"])
def kind(request: pytest.FixtureRequest, links: None) -> Iterator[Likeable]:
    likeable = Likeable("clap", boards=dict.fromkeys, storage=Storage.REDIS, repeatable=request.param)
    registry.provide(likeable)
    settle_due(NOW)
    yield likeable
    registry.withdraw("clap")


def in_sql(thing: str) -> tuple[int, dict[str, int]]:
    rows = Like.objects.filter(kind="clap", thing=thing).values_list("player__external_id", "amount")
    return LikeCount.objects.get(kind="clap", thing=thing).count, dict(rows)


class TestDeciding:
    def test_a_like_is_there_once_and_each_clap_counts(self, kind: Likeable) -> None:
        store = RedisStore(kind)

        said = [store.like("1", "a", NOW), store.like("1", "a", LATER), store.like("1", "b", NOW)]

        if kind.repeatable:
            assert said == [Shown(1, 1), Shown(2, 2), Shown(3, 1)]
        else:
            assert said == [Shown(1, 1), Shown(1, 1), Shown(2, 1)]
        assert store.read(["1", "2"], "a") == [said[2].__class__(said[2].count, said[1].own), Shown(0, 0)]
        assert store.read(["1"], None) == [Shown(said[2].count, 0)]

    def test_the_mirror_copies_states(self, kind: Likeable) -> None:
        store = RedisStore(kind)
        for player in ("a", "b", "a"):
            store.like("x:1", player, NOW)
        store.unlike("x:1", "b", LATER)
        store.unlike("x:1", "b", LATER)

        assert mirroring.mirror_all() == 2
        assert mirroring.mirror_all() == 0

        own = 1 + kind.repeatable
        assert in_sql("x:1") == (own, {"a": own, "b": 0})
        assert store.likers("x:1", 0, 10).rows == [Liker("a", own, NOW)]
        redis.boards().call("FLUSHDB")
        assert store.read(["x:1"], "a") == [Shown(own, own, live=False)]
        settle_due(NOW)
        assert store.read(["x:1"], "a") == [Shown(own, own)]
