"""The rows of likes in SQL: a like given or taken back, together with what has to be noted of it, and who likes what.

On PostgreSQL a change and its note are one statement, and one round trip; on SQLite two in a transaction. The trap:
the note follows the like's row lock, so the notes of one player and one thing have their numbers in the order of
their commits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from foundation.db.resilience import CONNECTION_ERRORS, ask
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
    """An INSERT that reads the row ``changed`` (kind, thing, player_id, amount, at), and its parameters."""

    statement: str
    params: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ChangedLike:
    """A like after it changed: how often the player likes the thing now, and since when; the number of the note."""

    amount: int
    at_ms: int
    note: int


def like(key: tuple[str, str, str], at: datetime, repeatable: bool, note: ChangeInsert) -> ChangedLike | None:
    """Have a player like a thing (``key``: kind, thing, player); None where nothing changed.

    Nobody who is banned by now likes anything, whatever was asked before: they may be erased at this moment.
    Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``.
    """
    kind, thing, player = key
    return _change(_LIKE, (kind, thing, _whole(at), player, repeatable, repeatable), note)


def unlike(key: tuple[str, str, str], at: datetime, note: ChangeInsert) -> ChangedLike | None:
    """Take one like back; None where there was none. Raises as ``like`` does."""
    kind, thing, player = key
    return _change(_UNLIKE, (_whole(at), kind, thing, player), note)


def read(kind: str, things: Sequence[str], player: str | None, count: str) -> list[LikeSummary]:
    """Each thing as the player sees it, from one statement and so from one moment.

    ``count`` is SQL for the likes of ``wanted.thing`` of ``wanted.kind``. Raises ``SqlAway``.
    """
    if not things:
        return []
    rows = ", ".join(["(%s, %s, %s)"] * len(things))
    own = f"(SELECT amount FROM likes_like AS own WHERE own.kind = wanted.kind AND own.thing = wanted.thing\
 AND own.player_id = {_PLAYER})"
    query = f"""
    WITH wanted (nth, kind, thing) AS (VALUES {rows})
    SELECT {count}, {"0" if player is None else own} FROM wanted ORDER BY nth"""
    params = [cell for nth, thing in enumerate(things) for cell in (nth, kind, thing)]
    found = ask(lambda: _rows(query, params if player is None else [*params, player]))
    # Their own like is in any count: of a kind that moved here the counts come a moment after the rows
    # (storage_migration.py).
    return [LikeSummary(max(int(total), own or 0), own or 0) for total, own in found]


def likers(kind: str, thing: str, offset: int, limit: int) -> Likers:
    """Who likes the thing, the newest first. Raises ``SqlAway``."""
    rows = Like.objects.filter(kind=kind, thing=thing, amount__gt=0)
    newest = rows.order_by("-at", "-player__external_id").values_list("player__external_id", "amount", "at")
    return ask(lambda: Likers(rows.count(), [Liker(*row) for row in newest[offset : offset + limit]]))


def all_likers(kind: str, things: Sequence[str]) -> dict[str, list[tuple[str, int, int]]]:
    """Player, amount and time in ms of all who like these things, by thing, in one query. Raises ``SqlAway``."""
    rows = Like.objects.filter(kind=kind, thing__in=things, amount__gt=0)
    found: dict[str, list[tuple[str, int, int]]] = {thing: [] for thing in things}
    for thing, player, amount, at in ask(
        lambda: list(rows.values_list("thing", "player__external_id", "amount", "at"))
    ):
        found[thing].append((player, amount, milliseconds(at)))
    return found


def _change(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> ChangedLike | None:
    with translate_sql_errors():
        row = (
            _in_one(statement, params, note) if connection.vendor == "postgresql" else _in_two(statement, params, note)
        )
    return None if row is None else ChangedLike(row[0], milliseconds(_time(row[1])), row[2])


def _in_one(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> Any:
    found = _rows(
        f"WITH changed AS ({statement}), noted AS ({note.statement} RETURNING id)"
        " SELECT changed.amount, changed.at, noted.id FROM changed, noted",
        [*params, *note.params],
    )
    return found[0] if found else None


@transaction.atomic
def _in_two(statement: str, params: tuple[Any, ...], note: ChangeInsert) -> Any:
    found = _rows(statement, params)
    if not found:
        return None
    changed = "WITH changed (kind, thing, player_id, amount, at) AS (VALUES (%s, %s, %s, %s, %s))"
    *row, at = found[0]
    [[number]] = _rows(f"{changed} {note.statement} RETURNING id", [*row, _whole(_time(at)), *note.params])
    return row[-1], at, number


@contextmanager
def translate_sql_errors() -> Iterator[None]:
    """Around what decides: where SQL is away nothing has changed, and where it goes away nobody knows.

    Inside a caller's transaction errors stay what they are: it is broken, and its owner must know.
    """
    if connection.in_atomic_block:
        yield
        return
    try:
        connection.ensure_connection()
    except CONNECTION_ERRORS as error:
        raise LikesUnavailable("What decides over these likes is away; try again.") from error
    try:
        yield
    except CONNECTION_ERRORS as error:
        if getattr(error.__cause__, "sqlstate", None) or "locked" in str(error):  # it answered: it did not act
            raise LikesUnavailable("Too many likes at once; try again.") from error
        connection.close()
        raise LikeOutcomeUnknown(
            "SQL did not answer in time: the like counts or not. It is safe to ask again."
        ) from error


def _rows(statement: str, params: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())


def _whole(at: datetime) -> Any:
    """The time as every store keeps it, in whole milliseconds, as this database takes it."""
    return connection.ops.adapt_datetimefield_value(from_milliseconds(milliseconds(at)))


def _time(cell: datetime) -> datetime:
    """A time as it came from the database: SQLite's has no zone, and is in UTC."""
    return cell if cell.tzinfo else cell.replace(tzinfo=UTC)
