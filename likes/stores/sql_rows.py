"""The rows of likes in SQL: give and take back likes, each with a second row about the change, and read likes.

On PostgreSQL both rows are written by one statement; on SQLite by two in a transaction. The trap: the second row is
inserted after the like's row is locked, so for one player and thing their ids are in the order of the commits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from foundation.db.resilience import CONNECTION_ERRORS, ask
from foundation.messages import Message
from leaderboards.core.instants import from_milliseconds, milliseconds
from likes.errors import LikeOutcomeUnknown, LikesUnavailable
from likes.models import Like
from likes.stores.base import Liker, Likers, LikeSummary

_PLAYER = "(SELECT id FROM leaderboards_player WHERE external_id = %s)"
_RETURNING = "RETURNING kind, thing, player_id, amount, at"
_LIKE = f"""
INSERT INTO likes_like AS held (kind, thing, player_id, amount, at, version)
SELECT %s, %s, id, 1, %s, 0 FROM leaderboards_player WHERE external_id = %s AND banned_at IS NULL
ON CONFLICT (kind, thing, player_id) DO UPDATE
SET amount = CASE WHEN %s THEN held.amount + 1 ELSE 1 END, at = excluded.at WHERE %s OR held.amount = 0
{_RETURNING}"""
_UNLIKE = f"""
UPDATE likes_like SET amount = amount - 1, at = CASE WHEN amount = 1 THEN %s ELSE at END
WHERE kind = %s AND thing = %s AND player_id = {_PLAYER} AND amount > 0
{_RETURNING}"""


@dataclass(frozen=True, slots=True)
class ChangeInsert:
    """An INSERT about a change, which reads the row ``changed`` (kind, thing, player_id, amount, at)."""

    statement: str
    params: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ChangedLike:
    """A like after it changed: its amount and time, and the id of the row about the change."""

    amount: int
    at_ms: int
    note: int


def like(key: tuple[str, str, str], at: datetime, repeatable: bool, note: ChangeInsert) -> ChangedLike | None:
    """Give a like (``key``: kind, thing, player); None if nothing changed.

    The statement checks again that the player is not banned, because they may be being erased. Raises
    ``LikesUnavailable`` or ``LikeOutcomeUnknown``.
    """
    kind, thing, player = key
    return _change(_LIKE, (kind, thing, _adapt_time(at), player, repeatable, repeatable), note)


def unlike(key: tuple[str, str, str], at: datetime, note: ChangeInsert) -> ChangedLike | None:
    """Take one like back; None if there is none. Raises as ``like`` does."""
    kind, thing, player = key
    return _change(_UNLIKE, (_adapt_time(at), kind, thing, player), note)


def read(kind: str, things: Sequence[str], player: str | None, count: str) -> list[LikeSummary]:
    """The likes of each thing, with the player's own, from one statement and so from one snapshot.

    ``count`` is an SQL expression for the likes of ``wanted.thing`` of ``wanted.kind``. Raises ``SqlAway``.
    """
    if not things:
        return []
    values = ", ".join(["(%s, %s, %s)"] * len(things))
    own = f"(SELECT amount FROM likes_like AS own WHERE own.kind = wanted.kind AND own.thing = wanted.thing\
 AND own.player_id = {_PLAYER})"
    query = f"""
    WITH wanted (nth, kind, thing) AS (VALUES {values})
    SELECT {count}, {"0" if player is None else own} FROM wanted ORDER BY nth"""
    params = [cell for nth, thing in enumerate(things) for cell in (nth, kind, thing)]
    rows = ask(lambda: _rows(query, params if player is None else [*params, player]))
    # The count includes at least the player's own likes: after a change of storage the counts come later than the rows
    # (storage_migration.py).
    return [LikeSummary(max(int(total), own or 0), own or 0) for total, own in rows]


def likers(kind: str, thing: str, offset: int, limit: int) -> Likers:
    """Who likes the thing, the newest first. Raises ``SqlAway``."""
    rows = Like.objects.filter(kind=kind, thing=thing, amount__gt=0)
    newest = rows.order_by("-at", "-player__external_id").values_list("player__external_id", "amount", "at")
    return ask(lambda: Likers(rows.count(), [Liker(*row) for row in newest[offset : offset + limit]]))


def all_likers(kind: str, things: Sequence[str]) -> dict[str, list[tuple[str, int, int]]]:
    """All likers (player, amount, time in ms) of these things, by thing, in one query. Raises ``SqlAway``."""
    rows = Like.objects.filter(kind=kind, thing__in=things, amount__gt=0)
    values = rows.values_list("thing", "player__external_id", "amount", "at")
    likers_of: dict[str, list[tuple[str, int, int]]] = {thing: [] for thing in things}
    for thing, player, amount, at in ask(lambda: list(values)):
        likers_of[thing].append((player, amount, milliseconds(at)))
    return likers_of


def _change(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> ChangedLike | None:
    write = _write_in_one if connection.vendor == "postgresql" else _write_in_two
    with translate_sql_errors():
        row = write(statement, params, note)
    return None if row is None else ChangedLike(row[0], milliseconds(_with_zone(row[1])), row[2])


def _write_in_one(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> Any:
    rows = _rows(
        f"WITH changed AS ({statement}), noted AS ({note.statement} RETURNING id)"
        " SELECT changed.amount, changed.at, noted.id FROM changed, noted",
        [*params, *note.params],
    )
    return rows[0] if rows else None


@transaction.atomic
def _write_in_two(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> Any:
    rows = _rows(statement, params)
    if not rows:
        return None
    changed = "WITH changed (kind, thing, player_id, amount, at) AS (VALUES (%s, %s, %s, %s, %s))"
    *row, at = rows[0]
    [[number]] = _rows(f"{changed} {note.statement} RETURNING id", [*row, _adapt_time(_with_zone(at)), *note.params])
    return row[-1], at, number


@contextmanager
def translate_sql_errors() -> Iterator[None]:
    """Translate connection errors: ``LikesUnavailable`` if nothing has changed, ``LikeOutcomeUnknown`` otherwise.

    Inside a caller's transaction errors pass through: the transaction is broken, and its owner must know.
    """
    if connection.in_atomic_block:
        yield
        return
    try:
        connection.ensure_connection()
    except CONNECTION_ERRORS as error:
        raise LikesUnavailable(Message("What decides over these likes is away; try again.")) from error
    try:
        yield
    except CONNECTION_ERRORS as error:
        if getattr(error.__cause__, "sqlstate", None) or "locked" in str(error):  # SQL answered: nothing has changed
            raise LikesUnavailable(Message("Too many likes at once; try again.")) from error
        connection.close()
        raise LikeOutcomeUnknown(
            Message("SQL did not answer in time: the like counts or not. It is safe to ask again.")
        ) from error


def _rows(statement: str, params: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())


def _adapt_time(at: datetime) -> Any:
    """The time in whole milliseconds, as all stores have it, converted for this database."""
    return connection.ops.adapt_datetimefield_value(from_milliseconds(milliseconds(at)))


def _with_zone(cell: datetime) -> datetime:
    """A time from the database with its time zone: SQLite returns UTC without one."""
    return cell if cell.tzinfo else cell.replace(tzinfo=UTC)
