"""The ``sql`` storage: SQL decides and counts at once; each like is a row, and the count is spread over shard rows.

A write updates one random shard, as the last lock of its statement; a read sums all, so the number of shards can grow.
A shard may be negative; the sum never is, because a like and its count commit together. The trap: cached totals may be
a second old, so writers get theirs from SQL.
"""

import random
from collections.abc import Sequence
from datetime import datetime

from django.core.cache import cache
from django.db import transaction

from likes.core.kinds import shards_for
from likes.registry import Likeable
from likes.stores import sql_rows
from likes.stores.base import Likers, LikeSummary
from likes.stores.sql_rows import ChangeInsert

CACHED_FROM_SHARDS = 100
CACHED_SECONDS = 1

COUNT = """
COALESCE((SELECT SUM(count) FROM likes_likeshard AS shard
          WHERE shard.kind = wanted.kind AND shard.thing = wanted.thing), 0)"""
_INSERT_SHARD = """
INSERT INTO likes_likeshard (kind, thing, shard, count, dirty)
SELECT kind, thing, %s, {delta}, true FROM changed WHERE true
ON CONFLICT (kind, thing, shard) DO UPDATE SET count = likes_likeshard.count + excluded.count, dirty = true"""
_LIKED, _TAKEN_BACK = _INSERT_SHARD.format(delta=1), _INSERT_SHARD.format(delta=-1)


class SqlStore:
    """A ``base.Store`` for one kind."""

    def __init__(self, likeable: Likeable) -> None:
        self._kind = likeable.kind
        self._repeatable = likeable.repeatable
        self._shards = shards_for(likeable.rate)

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Give a like. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        changed = sql_rows.like((self._kind, thing, player), at, self._repeatable, self._shard_insert(_LIKED))
        return self._read_after(thing, player, changed is not None)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take a like back. Raises as ``like`` does."""
        changed = sql_rows.unlike((self._kind, thing, player), at, self._shard_insert(_TAKEN_BACK))
        return self._read_after(thing, player, changed is not None)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """The likes of each thing, with the player's own; totals of many shards may be a second old.

        Raises ``SqlAway``.
        """
        if self._shards < CACHED_FROM_SHARDS:
            return sql_rows.read(self._kind, things, player, COUNT)
        keys = {thing: self._cache_key(thing) for thing in things}
        totals = {key: count for key, count in cache.get_many(keys.values()).items() if isinstance(count, int)}
        missing = [thing for thing, key in keys.items() if key not in totals]
        summaries = dict(zip(missing, sql_rows.read(self._kind, missing, player, COUNT), strict=True))
        cache.set_many({keys[thing]: summary.count for thing, summary in summaries.items()}, CACHED_SECONDS)
        cached = [thing for thing in keys if thing not in summaries]
        for thing, summary in zip(cached, sql_rows.read(self._kind, cached, player, "0"), strict=True):
            count = max(totals[keys[thing]], summary.own)  # the cached total may lack the player's own like
            summaries[thing] = LikeSummary(count, summary.own)
        return [summaries[thing] for thing in things]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        return sql_rows.likers(self._kind, thing, offset, limit)

    def _shard_insert(self, statement: str) -> ChangeInsert:
        return ChangeInsert(statement, (random.randrange(self._shards),))  # noqa: S311 - a random shard, no secret

    def _read_after(self, thing: str, player: str, is_changed: bool) -> LikeSummary:
        if is_changed and self._shards >= CACHED_FROM_SHARDS:
            transaction.on_commit(lambda: cache.delete(self._cache_key(thing)))
        return sql_rows.read(self._kind, [thing], player, COUNT)[0]

    def _cache_key(self, thing: str) -> str:
        return f"likes:{self._kind}:{thing}"
