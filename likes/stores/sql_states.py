"""Write likes that Redis decided: rows with versions, and the counts.

The trap: ``LikeCount`` changes by the difference of two states, so the caller must lock the kind's row: nobody else may
write between reading the old state and writing the new one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from foundation.db.resilience import long_transaction
from leaderboards.stores.sql.bulk import insert
from likes.models import LikeCount

_LIKE = {
    "kind": "text",
    "thing": "text",
    "player_id": "bigint",
    "amount": "int",
    "at": "timestamptz",
    "version": "bigint",
}
_COUNT = {"kind": "text", "thing": "text", "count": "bigint", "pending_publish": "boolean"}
_NEWER = (
    "ON CONFLICT (kind, thing, player_id) DO UPDATE SET amount = excluded.amount, at = excluded.at,"
    " version = excluded.version WHERE likes_like.version < excluded.version"
)
_ADD_TO_COUNT = "ON CONFLICT (kind, thing) DO UPDATE SET count = likes_likecount.count + excluded.count"
_NO_ROW = (0, -1)  # amount and version of a like without a row


@dataclass(frozen=True, slots=True)
class StateRow:
    """How often a player likes a thing, since when, and Redis's version of that state."""

    thing: str
    player_id: int
    amount: int
    at: datetime
    version: int


def write_states(kind: str, rows: Iterable[StateRow]) -> dict[str, int]:
    """Write the states that are newer than SQL's, and update the counts; return the new totals by thing.

    Call it in a transaction that locks the kind's row.
    """
    ordered = sorted(rows, key=lambda row: (row.thing, row.player_id))
    known = _read_states(kind, ordered)
    newer = [row for row in ordered if row.version > known.get((row.thing, row.player_id), _NO_ROW)[1]]
    cells = [(kind, row.thing, row.player_id, row.amount, row.at, row.version) for row in newer]
    insert("likes_like", _LIKE, cells, _NEWER)
    moved: Counter[str] = Counter()
    for row in newer:
        moved[row.thing] += row.amount - known.get((row.thing, row.player_id), _NO_ROW)[0]
    return add_to_counts(kind, {thing: step for thing, step in moved.items() if step})


def _read_states(kind: str, rows: Sequence[StateRow]) -> dict[tuple[str, int], tuple[int, int]]:
    """Amount and version in SQL, by thing and player id."""
    if connection.vendor == "postgresql":
        wanted = "unnest(%s::text[], %s::bigint[]) AS wanted (thing, player_id)"
        params: list[Any] = [[row.thing for row in rows], [row.player_id for row in rows]]
    else:
        wanted = f"(SELECT column1 AS thing, column2 AS player_id FROM (VALUES {', '.join(['(%s, %s)'] * len(rows))}))"
        wanted += " AS wanted"
        params = [cell for row in rows for cell in (row.thing, row.player_id)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT held.thing, held.player_id, held.amount, held.version FROM {wanted} JOIN likes_like AS held"
            " ON held.kind = %s AND held.thing = wanted.thing AND held.player_id = wanted.player_id",
            [*params, kind],
        )
        return {(thing, player_id): (amount, version) for thing, player_id, amount, version in cursor.fetchall()}


def add_to_counts(kind: str, steps: Mapping[str, int]) -> dict[str, int]:
    """Add ``steps`` to the counts of things, in sorted order; return the new counts.

    Call it in the transaction from which the steps come.
    """
    cells = [(kind, thing, steps[thing], False) for thing in sorted(steps)]
    insert("likes_likecount", _COUNT, cells, _ADD_TO_COUNT)
    return dict(LikeCount.objects.filter(kind=kind, thing__in=list(steps)).values_list("thing", "count"))


def rebuild_counts(kind: str) -> None:
    """Rebuild the counts of a kind from its rows. Call it while nobody writes the kind."""
    with long_transaction(), connection.cursor() as cursor:
        cursor.execute("UPDATE likes_likecount SET count = 0 WHERE kind = %s", [kind])
        cursor.execute(
            "INSERT INTO likes_likecount (kind, thing, count, pending_publish)"
            " SELECT kind, thing, SUM(amount), %s FROM likes_like WHERE kind = %s GROUP BY kind, thing"
            " ON CONFLICT (kind, thing) DO UPDATE"
            " SET count = excluded.count, pending_publish = excluded.pending_publish",
            [False, kind],
        )
