"""What Redis and SQL have of likes, and a Redis that is away."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from unittest.mock import patch

import pytest

from foundation.errors import Unavailable
from foundation.redis import client as redis
from likes.core.keys import KindKeys, ThingKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeCount
from likes.registry import Likeable
from tests.raw import all_keys

IN_REDIS = pytest.mark.parametrize("storage", [Storage.REDIS], ids=str)


@dataclass(frozen=True)
class Told:
    """How many likes a thing has, and how many of whom."""

    count: int
    by: dict[str, int]


def in_redis(kind: Likeable, thing: str) -> Told:
    """The count as Redis keeps it where it decides, and the set (or the amounts)."""
    keys, link = ThingKeys(kind.kind, thing, kind.storage == Storage.REDIS), redis.resync_client()
    liked_by = [cell.decode() for cell in link.call("ZRANGE", keys.liked_by, 0, -1)]
    amounts = [int(link.call("HGET", keys.amounts, each)) if kind.repeatable else 1 for each in liked_by]
    return Told(int(link.call("GET", keys.count) or 0), dict(zip(liked_by, amounts, strict=True)))


def in_sql(kind: Likeable, thing: str) -> Told:
    """The count in SQL, and the rows of those who like the thing."""
    rows = Like.objects.filter(kind=kind.kind, thing=thing, amount__gt=0).values_list("player__external_id", "amount")
    counted = LikeCount.objects.filter(kind=kind.kind, thing=thing).first()
    return Told(counted.count if counted else 0, dict(rows))


def is_dirty(kind: Likeable) -> bool:
    """Whether SQL lacks anything that Redis has decided."""
    return bool(redis.resync_client().call("HLEN", KindKeys(kind.kind).dirty))


def keys_that_name(player: str) -> list[str]:
    """The keys of Redis that hold a text with the player's id in it."""
    link = redis.resync_client()
    return [key.decode() for key in all_keys() if player.encode() in (link.call("DUMP", key) or b"")]


def redis_away(error: type[Unavailable] = redis.RedisAway) -> AbstractContextManager[object]:
    """What is sent to Redis does not get there; or it gets there, and no answer comes."""
    return patch.object(redis.RedisClient, "_exchange", side_effect=error("Redis is away."))
