"""Check likes that Redis decides: each count against its set, and SQL's rows against both.

There are no races: a script counts and repairs atomically, and a wrong row in SQL is repaired by the mirror, for which
the check marks the like dirty. A like that is dirty does not count as different. A like that SQL has, and that Redis
has neither as a like nor as a dirty mark, was lost in Redis and is put back. ``services/check.py`` calls this.
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
    """Find what is wrong with these things; repair it if ``repair``. Raises ``StaleGeneration`` and Redis errors."""
    comparison = _Comparison(likeable, at, repair)
    tallies = comparison.tallies(things)
    differences = [*comparison.wrong_counts(tallies), *comparison.wrong_rows(tallies)]
    if any(each.where == "like" and each.repaired for each in differences):
        mirror(likeable)
    return differences


def check_things_unknown_to_sql(likeable: Likeable, at: datetime, repair: bool) -> list[Difference]:
    """As ``check_things``, for the things in Redis of which SQL has no row."""
    differences = []
    for things in RedisKind(likeable, redis.resync_client()).things():
        known = set(Like.objects.filter(kind=likeable.kind, thing__in=things).values_list("thing", flat=True))
        if unknown := sorted({*things} - known):
            differences += check_things(likeable, unknown, at, repair)
    return differences


class _Comparison:
    """One comparison of some things."""

    def __init__(self, likeable: Likeable, at: datetime, repair: bool) -> None:
        self._kind = likeable.kind
        self._likeable = likeable
        self._at = at
        self._repair = repair
        self._redis_kind = RedisKind(likeable, redis.resync_client())
        self._generation = current_generation(likeable.kind)

    def tallies(self, things: Sequence[str]) -> dict[str, tuple[int, int]]:
        """For each thing the count that Redis had, and its number of likes; wrong counts are repaired if asked."""
        return dict(zip(things, self._redis_kind.recount(self._generation, things, self._repair), strict=True))

    def wrong_counts(self, tallies: dict[str, tuple[int, int]]) -> Iterator[Difference]:
        """The counts that did not match their sets."""
        for thing, (count, likes) in tallies.items():
            if count != likes:
                yield Difference(self._kind, thing, "set", count, likes, self._repair)

    def wrong_rows(self, tallies: dict[str, tuple[int, int]]) -> Iterator[Difference]:
        """The likes that differ in SQL. Players without a row are searched only if a thing's sums differ."""
        sums: Counter[str] = Counter()
        columns = ("thing", "player__external_id", "amount")
        rows = Like.objects.filter(kind=self._kind, thing__in=[*tallies]).order_by("thing", "player_id")
        values = rows.values_list(*columns).iterator(chunk_size=CHUNK)
        for chunk in in_chunks(values, CHUNK):
            yield from self._compare({(thing, player): amount for thing, player, amount in chunk})
            for thing, _, amount in chunk:
                sums[thing] += amount
        for thing, (_, likes) in tallies.items():
            if likes != sums[thing]:
                yield from self._compare_unknown_players(thing)

    def _compare_unknown_players(self, thing: str) -> Iterator[Difference]:
        for players in self._redis_kind.players(thing):
            rows = Like.objects.filter(kind=self._kind, thing=thing, player__external_id__in=players)
            known = set(rows.values_list("player__external_id", flat=True))
            yield from self._compare({(thing, player): 0 for player in players if player not in known})

    def _compare(self, in_sql: dict[Pair, int]) -> Iterator[Difference]:
        pairs = [*in_sql]
        for pair, in_redis in zip(pairs, self._redis_kind.inspect(self._generation, pairs), strict=True):
            if in_redis.amount != in_sql[pair] and not in_redis.dirty:
                yield from self._compare_again(pair)

    def _compare_again(self, pair: Pair) -> Iterator[Difference]:
        """Read Redis, SQL, and Redis again: a like that is not dirty and did not change must be equal in SQL."""
        [before] = self._redis_kind.inspect(self._generation, [pair])
        row = Like.objects.filter(kind=self._kind, thing=pair[0], player__external_id=pair[1])
        amount, version = row.values_list("amount", "version").first() or (0, 0)
        [after] = self._redis_kind.inspect(self._generation, [pair])
        if before != after or after.dirty or after.amount == amount or is_dropped(self._kind, pair, version):
            return
        repaired = self._repair and self._repair_like(pair, after.amount)
        if repaired or not self._repair:
            yield Difference(self._kind, pair[0], "like", amount, after.amount, repaired)

    def _repair_like(self, pair: Pair, in_redis: int) -> bool:
        if in_redis:
            return self._redis_kind.mark_dirty(self._generation, pair, milliseconds(self._at), compared=in_redis)
        return self._put_back(pair)

    @transaction.atomic
    def _put_back(self, pair: Pair) -> bool:
        """Put a like back that Redis lost. The locks keep mirrors out, which could copy to SQL that it was taken back.

        The deadline is computed before the query, so that it passes before PostgreSQL ends an idle transaction.
        """
        hold_shared(self._kind)
        lock_kind(self._likeable)
        redis_kind = RedisKind(self._likeable, redis.boards())
        deadline = redis_kind.deadline_ms()
        row = Like.objects.filter(kind=self._kind, thing=pair[0], player__external_id=pair[1], amount__gt=0).first()
        if row is None:
            return False
        like = LikeInSql(*pair, row.amount, milliseconds(row.at))
        return redis_kind.put_back(self._generation, like, deadline)
