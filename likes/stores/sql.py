"""Likes that SQL decides over, and counts at once: a row a like, and the count spread over shard rows.

A write touches one shard, drawn by chance, as the last lock of its statement; a read sums them, however many there
are, so their number can grow. A shard may be below zero; the sum never is, since each like and its count commit
together. The trap: what is cached may be a second old, so what a writer is told is never from there.
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
_NOTE = """
INSERT INTO likes_likeshard (kind, thing, shard, count, dirty)
SELECT kind, thing, %s, {delta}, true FROM changed WHERE true
ON CONFLICT (kind, thing, shard) DO UPDATE SET count = likes_likeshard.count + excluded.count, dirty = true"""
_LIKED, _TAKEN_BACK = _NOTE.format(delta=1), _NOTE.format(delta=-1)


class SqlStore:
    """Likes of one kind; keeps the contract of ``base.Store``."""

    def __init__(self, likeable: Likeable) -> None:
        self._kind = likeable.kind
        self._repeatable = likeable.repeatable
        self._shards = shards_for(likeable.rate)

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """The player likes the thing. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        changed = sql_rows.like((self._kind, thing, player), at, self._repeatable, self._note(_LIKED))
        return self._after(thing, player, changed is not None)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They take a like back. Raises likewise."""
        changed = sql_rows.unlike((self._kind, thing, player), at, self._note(_TAKEN_BACK))
        return self._after(thing, player, changed is not None)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """Each thing as the player sees it; totals of many shards may be a second old. Raises ``SqlAway``."""
        if self._shards < CACHED_FROM_SHARDS:
            return sql_rows.read(self._kind, things, player, COUNT)
        known = {thing: self._key(thing) for thing in things}
        totals = {key: count for key, count in cache.get_many(known.values()).items() if isinstance(count, int)}
        missing = [thing for thing, key in known.items() if key not in totals]
        found = dict(zip(missing, sql_rows.read(self._kind, missing, player, COUNT), strict=True))
        cache.set_many({known[thing]: shown.count for thing, shown in found.items()}, CACHED_SECONDS)
        rest = [thing for thing in known if thing not in found]
        for thing, shown in zip(rest, sql_rows.read(self._kind, rest, player, "0"), strict=True):
            found[thing] = LikeSummary(
                max(totals[known[thing]], shown.own), shown.own
            )  # their own like is in any count
        return [found[thing] for thing in things]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        return sql_rows.likers(self._kind, thing, offset, limit)

    def _note(self, statement: str) -> ChangeInsert:
        return ChangeInsert(statement, (random.randrange(self._shards),))  # noqa: S311 (chance against a crowd, no secret)

    def _after(self, thing: str, player: str, changed: bool) -> LikeSummary:
        if changed and self._shards >= CACHED_FROM_SHARDS:
            transaction.on_commit(lambda: cache.delete(self._key(thing)))
        return sql_rows.read(self._kind, [thing], player, COUNT)[0]

    def _key(self, thing: str) -> str:
        return f"likes:{self._kind}:{thing}"
