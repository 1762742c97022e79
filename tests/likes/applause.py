"""A kind that Redis decides over, as tests register it, and what its count, its set and SQL say."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from foundation import redis
from likes import registry
from likes.core.keys import KindKeys, ThingKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeCount
from likes.registry import Likeable
from likes.services.settle import settle_due

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
KIND = "clap"


@contextmanager
def applause(repeatable: bool = False) -> Iterator[Likeable]:
    """The kind, registered and settled until the block ends."""
    likeable = Likeable(KIND, boards=dict.fromkeys, storage=Storage.REDIS, repeatable=repeatable)
    registry.provide(likeable)
    settle_due(NOW)
    yield likeable
    registry.withdraw(KIND)


@dataclass(frozen=True)
class Told:
    """How many likes a thing has, and how many of whom."""

    count: int
    by: dict[str, int]


def in_redis(thing: str, repeatable: bool = False) -> Told:
    """The count as it is kept, and the set (or the amounts)."""
    keys, link = ThingKeys(KIND, thing), redis.settling()
    liked_by = [cell.decode() for cell in link.call("ZRANGE", keys.liked_by, 0, -1)]
    amounts = [int(link.call("HGET", keys.amounts, each)) if repeatable else 1 for each in liked_by]
    return Told(int(link.call("GET", keys.count) or 0), dict(zip(liked_by, amounts, strict=True)))


def in_sql(thing: str) -> Told:
    """The count in SQL, and the rows of those who like the thing."""
    rows = Like.objects.filter(kind=KIND, thing=thing, amount__gt=0).values_list("player__external_id", "amount")
    counted = LikeCount.objects.filter(kind=KIND, thing=thing).first()
    return Told(counted.count if counted else 0, dict(rows))


def is_dirty() -> bool:
    """Whether SQL lacks anything."""
    return bool(redis.settling().call("HLEN", KindKeys(KIND).dirty))
