"""Compare counts in SQL with the rows that they count, and repair them, while others write.

A writer changes a count and its rows in one commit, so a difference in one snapshot is an error. The repair adds the
difference, which is right whatever is written meanwhile. The trap: two concurrent repairs would add it twice, so a
repair must lock the kind's row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from likes.core.kinds import Storage
from likes.models import Like, LikeCount, LikeShard
from likes.stores import append, sql

_ROWS = """
COALESCE((SELECT SUM(amount) FROM likes_like AS own
          WHERE own.kind = wanted.kind AND own.thing = wanted.thing), 0)"""
_WAITING = """
(SELECT COUNT(*) FROM likes_likechange AS waiting WHERE waiting.kind = wanted.kind AND waiting.thing = wanted.thing)
+ (SELECT COUNT(*) FROM likes_likecount AS marked
   WHERE marked.kind = wanted.kind AND marked.thing = wanted.thing AND marked.pending_publish)"""
_ADD = {
    "likes_likecount": "(kind, thing, count, pending_publish) SELECT kind, thing, likes - counted, false",
    "likes_likeshard": "(kind, thing, shard, count, dirty) SELECT kind, thing, 0, likes - counted, true",
}
_ONTO = {
    "likes_likecount": "(kind, thing) DO UPDATE SET count = likes_likecount.count + excluded.count",
    "likes_likeshard": "(kind, thing, shard) DO UPDATE SET count = likes_likeshard.count + excluded.count",
}


@dataclass(frozen=True, slots=True)
class CountComparison:
    """A thing's count and its rows in one snapshot, and whether changes wait to be published to Redis."""

    thing: str
    counted: int
    likes: int
    waits: bool


def things_after(kind: str, last: str, most: int) -> list[str]:
    """The next things after ``last`` that have rows or counts, in byte order."""
    things: set[str] = set()
    for model in (Like, LikeCount, LikeShard):
        rows = model.objects.filter(kind=kind, thing__gt=last).order_by("thing").values_list("thing", flat=True)
        things |= set(rows.distinct()[:most])
    return sorted(things, key=str.encode)[:most]


def compare(kind: str, storage: Storage, things: Sequence[str]) -> list[CountComparison]:
    """Each thing's count and rows, in order, from one statement."""
    if not things:
        return []
    query = f"{_wanted(things)} SELECT thing, {_count(storage)}, {_ROWS}, {_WAITING} FROM wanted"
    with connection.cursor() as cursor:
        cursor.execute(query, _cells(kind, things))
        rows = {thing: (int(count), int(likes), waits > 0) for thing, count, likes, waits in cursor.fetchall()}
    return [CountComparison(thing, *rows[thing]) for thing in things]


def repair_counts(kind: str, storage: Storage, things: Sequence[str]) -> dict[str, int]:
    """Add the difference to each count; return the new totals. Call it in a transaction that locks the kind's row."""
    if not things:
        return {}
    table = "likes_likeshard" if storage == Storage.SQL else "likes_likecount"
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_wanted(things)}, beside AS"
            f" (SELECT kind, thing, {_count(storage)} AS counted, {_ROWS} AS likes FROM wanted)"
            f" INSERT INTO {table} {_ADD[table]} FROM beside WHERE likes <> counted ON CONFLICT {_ONTO[table]}",
            _cells(kind, things),
        )
    return {row.thing: row.counted for row in compare(kind, storage, things)}


def _wanted(things: Sequence[str]) -> str:
    return f"WITH wanted (kind, thing) AS (VALUES {', '.join(['(%s, %s)'] * len(things))})"


def _cells(kind: str, things: Sequence[str]) -> list[str]:
    return [cell for thing in things for cell in (kind, thing)]


def _count(storage: Storage) -> str:
    return sql.COUNT if storage == Storage.SQL else append.COUNT
