"""Writing what Redis decided over likes: rows by version, and the counts that move with them.

The trap: ``LikeCount`` moves by the difference of two states, so both are looked at under the row's lock, in the
transaction that writes them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from leaderboards.stores.sql_writes import insert
from likes.models import LikeCount

_LIKE = {
    "kind": "text",
    "thing": "text",
    "player_id": "bigint",
    "amount": "int",
    "at": "timestamptz",
    "version": "bigint",
}
_COUNT = {"kind": "text", "thing": "text", "count": "bigint", "unput": "boolean"}
_NEWER = (
    "ON CONFLICT (kind, thing, player_id) DO UPDATE SET amount = excluded.amount, at = excluded.at,"
    " version = excluded.version WHERE likes_like.version < excluded.version"
)
_MOVED = "ON CONFLICT (kind, thing) DO UPDATE SET count = likes_likecount.count + excluded.count"
_FOR_UPDATE = {"postgresql": "FOR UPDATE", "sqlite": ""}  # on SQLite every writer has locked everything
_NEVER_WRITTEN = -1


@dataclass(frozen=True, slots=True)
class StateRow:
    """How often a player likes a thing, since when, and the version under which Redis decided so."""

    thing: str
    player_id: int
    amount: int
    at: datetime
    version: int


def write_states(kind: str, rows: Iterable[StateRow]) -> dict[str, int]:
    """Write those states that are newer than SQL's, and move the counts with them; the new totals by thing.

    Call it in a transaction. Two that meet lock the same rows in the same order.
    """
    ordered = sorted(rows, key=lambda row: (row.thing, row.player_id))
    known = _locked(kind, ordered)
    newer = [row for row in ordered if row.version > known[row.thing, row.player_id][1]]
    cells = [(kind, row.thing, row.player_id, row.amount, row.at, row.version) for row in newer]
    insert("likes_like", _LIKE, cells, _NEWER)
    moved: Counter[str] = Counter()
    for row in newer:
        moved[row.thing] += row.amount - known[row.thing, row.player_id][0]
    return move_counts(kind, {thing: step for thing, step in moved.items() if step})


def _locked(kind: str, rows: Sequence[StateRow]) -> dict[tuple[str, int], tuple[int, int]]:
    """Amount and version of each row, locked; where there is none an empty one is made first, older than any other."""
    empty = [(kind, row.thing, row.player_id, 0, row.at, _NEVER_WRITTEN) for row in rows]
    insert("likes_like", _LIKE, empty, "ON CONFLICT (kind, thing, player_id) DO NOTHING")
    pairs = ", ".join(["(%s, CAST(%s AS bigint))"] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT thing, player_id, amount, version FROM likes_like WHERE kind = %s"
            f" AND (thing, player_id) IN (VALUES {pairs}) ORDER BY thing, player_id {_FOR_UPDATE[connection.vendor]}",
            [kind, *(cell for row in rows for cell in (row.thing, row.player_id))],
        )
        return {(thing, player_id): (amount, version) for thing, player_id, amount, version in cursor.fetchall()}


def move_counts(kind: str, steps: Mapping[str, int]) -> dict[str, int]:
    """Add to the counts of things, sorted; what they are now. Call it in the transaction that knows the steps."""
    cells = [(kind, thing, steps[thing], False) for thing in sorted(steps)]
    insert(
        "likes_likecount",
        _COUNT,
        cells,
        "ON CONFLICT (kind, thing) DO UPDATE SET count = likes_likecount.count + excluded.count",
    )
    return dict(LikeCount.objects.filter(kind=kind, thing__in=list(steps)).values_list("thing", "count"))


def count_anew(kind: str) -> None:
    """Make the counts of a kind of its rows. Call it while nobody writes the kind."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE likes_likecount SET count = 0 WHERE kind = %s", [kind])
        cursor.execute(
            "INSERT INTO likes_likecount (kind, thing, count, unput)"
            " SELECT kind, thing, SUM(amount), %s FROM likes_like WHERE kind = %s GROUP BY kind, thing"
            " ON CONFLICT (kind, thing) DO UPDATE SET count = excluded.count, unput = excluded.unput",
            [False, kind],
        )
