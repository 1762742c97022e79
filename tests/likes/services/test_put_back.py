"""Likes that Redis decides over and lost without a trace come back from SQL; who took theirs back has none."""

from collections.abc import Callable
from math import inf
from unittest.mock import patch

import pytest

from foundation.redis import client as redis
from likes.core.keys import ThingKeys
from likes.models import Like
from likes.registry import Likeable
from likes.services.check import check
from likes.stores.base import Store
from likes.stores.redis_kind import RedisKind
from tests.contracts.likes.kinds import NOW, settled
from tests.likes.kept import IN_REDIS, in_redis, in_sql

pytestmark = [pytest.mark.django_db(transaction=True), IN_REDIS]

Lose = Callable[[ThingKeys], tuple[str, ...]]
LOSSES: dict[str, Lose] = {
    "one who likes it": lambda keys: ("ZREM", keys.liked_by, "ann"),
    "all who like it": lambda keys: ("UNLINK", keys.liked_by),
    "one amount": lambda keys: ("HDEL", keys.amounts, "ann"),
    "all of it": lambda keys: ("UNLINK", keys.liked_by, keys.count, keys.amounts),
}


@pytest.fixture
def liked(kind: Likeable, store: Store) -> Likeable:
    """A thing that three players like."""
    for player in ("ann", "bob", "가"):
        store.like("1", player, NOW)
    settled(kind)
    return kind


@pytest.mark.parametrize(
    ("repeatable", "loss"),
    [*((True, each) for each in LOSSES), *((False, each) for each in LOSSES if "amount" not in each)],
)
def test_what_redis_lost_comes_back_and_no_like_goes_from_sql(liked: Likeable, loss: str, store: Store) -> None:
    before = in_redis(liked, "1"), in_sql(liked, "1")
    redis.resync_client().call(*LOSSES[loss](ThingKeys(liked.kind, "1", is_decided=True)))

    seen = check(liked, NOW, inf, repair=False).differences
    assert in_sql(liked, "1") == before[1]
    repaired = check(liked, NOW, inf, repair=True).differences

    assert [each for each in repaired if not each.repaired] == []
    assert len(repaired) == len(seen) >= 1
    assert (in_redis(liked, "1"), in_sql(liked, "1")) == before
    assert store.read(["1"], None)[0].count == 3
    assert check(liked, NOW, inf, repair=True).differences == []


def test_who_took_theirs_back_meanwhile_does_not_like_it_again(liked: Likeable, store: Store) -> None:
    redis.resync_client().call("ZREM", ThingKeys(liked.kind, "1", is_decided=True).liked_by, "ann", "bob")
    put_back = RedisKind.put_back

    def meanwhile(redis_kind: RedisKind, generation: int, *rest: object) -> bool:
        store.like("1", "ann", NOW)
        store.unlike("1", "ann", NOW)
        return put_back(redis_kind, generation, *rest)  # type: ignore[arg-type]  # the arguments are passed on unchanged

    with patch.object(RedisKind, "put_back", meanwhile):
        check(liked, NOW, inf, repair=True)
    settled(liked)

    assert Like.objects.get(player__external_id="ann").amount == 0
    assert Like.objects.get(player__external_id="bob").amount == 1
    assert in_redis(liked, "1") == in_sql(liked, "1")
