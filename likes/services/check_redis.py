"""Checking likes that Redis decides over: each count beside its set, and SQL's rows beside both.

Nobody is raced: a script counts and repairs in one moment, and a row in SQL is put right by the mirror, which the
check asks to copy it again. What SQL may not have yet is no difference. A like that SQL has, and Redis has not without
a mark, was lost there, and is put back. ``services/check.py`` walks over the things.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from foundation.chunks import in_chunks
from foundation.redis import client as redis
from leaderboards.core.instants import milliseconds
from likes.core.difference import Difference
from likes.models import Like
from likes.registry import Likeable
from likes.services.kind_lock import lock_kind
from likes.services.mirror import current_generation, is_dropped, mirror
from likes.stores.kind_generation import hold_shared
from likes.stores.redis_kind import LikeInSql, RedisKind

CHUNK = 500  # of rows

Pair = tuple[str, str]


def check_things(likeable: Likeable, things: Sequence[str], at: datetime, repair: bool) -> list[Difference]:
    """What is wrong with these things, put right if asked to. Raises ``StaleGeneration``, and what the link raises."""
    walk = _Walk(likeable, at, repair)
    tallies = walk.tallies(things)
    differences = [*walk.wrong_counts(tallies), *walk.wrong_rows(tallies)]
    if any(each.where == "like" and each.repaired for each in differences):
        mirror(likeable)
    return differences


def check_things_unknown_to_sql(likeable: Likeable, at: datetime, repair: bool) -> list[Difference]:
    """The same for things of which SQL has nothing at all. Raises likewise."""
    found = []
    for things in RedisKind(likeable, redis.resync_client()).things():
        known = set(Like.objects.filter(kind=likeable.kind, thing__in=things).values_list("thing", flat=True))
        if unknown := sorted({*things} - known):
            found += check_things(likeable, unknown, at, repair)
    return found


class _Walk:
    """One comparison of some things."""

    def __init__(self, likeable: Likeable, at: datetime, repair: bool) -> None:
        self._kind = likeable.kind
        self._likeable = likeable
        self._at = at
        self._repair = repair
        self._redis_kind = RedisKind(likeable, redis.resync_client())
        self._generation = current_generation(likeable.kind)

    def tallies(self, things: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Of each thing the count that Redis kept, and how many likes it has; counts are right from here on."""
        return dict(zip(things, self._redis_kind.recount(self._generation, things, self._repair), strict=True))

    def wrong_counts(self, tallies: dict[str, tuple[int, int]]) -> Iterator[Difference]:
        """Counts that were not those of their sets."""
        for thing, (count, likes) in tallies.items():
            if count != likes:
                yield Difference(self._kind, thing, "set", count, likes, self._repair)

    def wrong_rows(self, tallies: dict[str, tuple[int, int]]) -> Iterator[Difference]:
        """Likes that SQL has otherwise. Whom SQL does not know is looked for where the sums say that there is one."""
        sums: Counter[str] = Counter()
        columns = ("thing", "player__external_id", "amount")
        rows = Like.objects.filter(kind=self._kind, thing__in=[*tallies]).order_by("thing", "player_id")
        found = rows.values_list(*columns).iterator(chunk_size=CHUNK)
        for chunk in in_chunks(found, CHUNK):
            yield from self._compared({(thing, player): amount for thing, player, amount in chunk})
            for thing, _, amount in chunk:
                sums[thing] += amount
        for thing, (_, likes) in tallies.items():
            if likes != sums[thing]:
                yield from self._strangers(thing)

    def _strangers(self, thing: str) -> Iterator[Difference]:
        for players in self._redis_kind.players(thing):
            rows = Like.objects.filter(kind=self._kind, thing=thing, player__external_id__in=players)
            known = set(rows.values_list("player__external_id", flat=True))
            yield from self._compared({(thing, player): 0 for player in players if player not in known})

    def _compared(self, in_sql: dict[Pair, int]) -> Iterator[Difference]:
        pairs = [*in_sql]
        for pair, looked in zip(pairs, self._redis_kind.inspect(self._generation, pairs), strict=True):
            if looked.amount != in_sql[pair] and not looked.dirty:
                yield from self._looked_closer(pair)

    def _looked_closer(self, pair: Pair) -> Iterator[Difference]:
        """Redis, SQL, and Redis again: who was not dirty and has not moved should have been in SQL between."""
        [before] = self._redis_kind.inspect(self._generation, [pair])
        row = Like.objects.filter(kind=self._kind, thing=pair[0], player__external_id=pair[1])
        amount, version = row.values_list("amount", "version").first() or (0, 0)
        [after] = self._redis_kind.inspect(self._generation, [pair])
        if before != after or after.dirty or after.amount == amount or is_dropped(self._kind, pair, version):
            return
        repaired = self._repair and self._put_right(pair, after.amount)
        if repaired or not self._repair:
            yield Difference(self._kind, pair[0], "like", amount, after.amount, repaired)

    def _put_right(self, pair: Pair, in_redis: int) -> bool:
        if in_redis:
            return self._redis_kind.mark_dirty(self._generation, pair, milliseconds(self._at), compared=in_redis)
        return self._put_back(pair)

    @transaction.atomic
    def _put_back(self, pair: Pair) -> bool:
        """Give Redis back what it lost. No mirror is at it meanwhile, which could copy that it was taken back.

        The deadline is drawn before SQL is asked: it ends before PostgreSQL would end a lock that rests.
        """
        hold_shared(self._kind)
        lock_kind(self._likeable)
        redis_kind = RedisKind(self._likeable, redis.boards())
        deadline = redis_kind.deadline_ms()
        row = Like.objects.filter(kind=self._kind, thing=pair[0], player__external_id=pair[1], amount__gt=0).first()
        if row is None:
            return False
        kept = LikeInSql(*pair, row.amount, milliseconds(row.at))
        return redis_kind.put_back(self._generation, kept, deadline)
