"""Writing players, standings and submissions in bulk: one statement for any number of rows.

On PostgreSQL rows travel as one array per column (``unnest``), on SQLite as VALUES. The trap:
whoever locks several standings locks them sorted by player, or two writers lock each other out.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Count, Q
from django.db.models.expressions import RawSQL

from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.core.policies import State
from leaderboards.models import Period, Player, Standing, Submission

Cell = int | float | str | bool | datetime | None

_PLAYER = {"external_id": "text", "name": "text", "avatar_url": "text", "country": "text", "created_at": "timestamptz"}
_STANDING = {
    "period_id": "bigint",
    "player_id": "bigint",
    "member": "text",
    "points": "bigint",
    "fields": "jsonb",
    "at": "timestamptz",
    "score": "float8",
    "version": "bigint",
    "unput": "boolean",
}
_SUBMISSION = {
    "period_id": "bigint",
    "player_id": "bigint",
    "board_id": "int",
    "competition": "bigint",
    "points": "bigint",
    "fields": "jsonb",
    "at": "timestamptz",
    "sent_at": "timestamptz",
    "service": "text",
    "external_id": "text",
    "created_at": "timestamptz",
}
_SET_STANDING = ", ".join(
    f"{column} = excluded.{column}" for column in ("member", "points", "fields", "at", "score", "version", "unput")
)


@dataclass(frozen=True, slots=True)
class Held:
    """A standing as SQL has it, locked or read. ``state`` is None where the player is not ranked."""

    player_id: int
    state: State | None
    version: int


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A standing to be written. Without a state the player is not ranked."""

    player_id: int
    member: str
    state: State | None
    score: float | None
    version: int
    unput: bool = False

    def as_unput(self) -> "StandingRow":
        """The same, marked as missing in Redis."""
        return replace(self, unput=True)


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission to be kept; ``value`` and ``at_ms`` are what counted, ``sent_at`` what was said."""

    player_id: int
    value: tuple[int, ...]
    at_ms: int
    sent_at: datetime | None
    external_id: str | None


def ensure_players(external_ids: Iterable[str], at: datetime) -> dict[str, Player]:
    """The players of these ids, made where they are unknown, sorted, in a statement of its own."""
    wanted = set(external_ids)
    found = _players(wanted)
    if missing := wanted - found.keys():
        _insert_players(missing, at)
        found |= _players(missing)
    return found


def make_players(external_ids: Iterable[str], at: datetime) -> None:
    """The same without reading more of them than whom there is."""
    wanted = set(external_ids)
    known = Player.objects.filter(among("external_id", "text", wanted)).values_list("external_id", flat=True)
    if missing := wanted.difference(known):
        _insert_players(missing, at)


def _insert_players(external_ids: Collection[str], at: datetime) -> None:
    rows = [(external_id, "", "", "", at) for external_id in sorted(external_ids)]
    insert("leaderboards_player", _PLAYER, rows, "ON CONFLICT (external_id) DO NOTHING")


def _players(external_ids: Collection[str]) -> dict[str, Player]:
    rows = Player.objects.filter(among("external_id", "text", external_ids)).only("id", "external_id", "banned_at")
    return {row.external_id: row for row in rows}


def lock_standings(period: Period, players: Mapping[int, str]) -> dict[int, Held]:
    """Lock the standings of these players (id → external id), sorted, making empty ones first where none are."""
    ids = sorted(players)
    standings = Standing.objects.filter(among("player_id", "bigint", ids), period=period)
    known = set(standings.values_list("player_id", flat=True))
    # Made before anything is locked: who holds a lock and then waits for another's new row can be waited for himself.
    rows = [
        (period.pk, player_id, players[player_id], None, None, None, None, 0, False)
        for player_id in ids
        if player_id not in known
    ]
    insert("leaderboards_standing", _STANDING, rows, "ON CONFLICT (period_id, player_id) DO NOTHING")
    return _locked(period, ids)


def _locked(period: Period, ids: Sequence[int]) -> dict[int, Held]:
    rows = (
        Standing.objects.select_for_update()
        .filter(among("player_id", "bigint", ids), period=period)
        .order_by("player_id")
        .values_list("player_id", "points", "fields", "at", "score", "version")
    )
    return {
        player_id: Held(player_id, None if score is None else state_of(points, fields, at), version)
        for player_id, points, fields, at, score, version in rows
    }


def state_of(points: int | None, fields: list[int] | None, at: datetime | None) -> State:
    """A stored standing or submission as the policies know it."""
    value = tuple(fields) if fields is not None else (points or 0,)
    return State(value, milliseconds(at) if at else 0)


def write_standings(period: Period, rows: Sequence[StandingRow], only_newer: bool = False) -> None:
    """Write standings; with ``only_newer`` a row in SQL of the same or a later version stays as it is."""
    tail = f"ON CONFLICT (period_id, player_id) DO UPDATE SET {_SET_STANDING}"
    if only_newer:
        tail += " WHERE leaderboards_standing.version < excluded.version"
    cells = [
        (period.pk, row.player_id, row.member, *_value(period, row.state), row.score, row.version, row.unput)
        for row in rows
    ]
    insert("leaderboards_standing", _STANDING, cells, tail)


def _value(period: Period, state: State | None) -> tuple[Cell, Cell, Cell]:
    if state is None:
        return None, None, None
    points, fields = _columns(period, state.value)
    return points, fields, from_milliseconds(state.at_ms)


def _columns(period: Period, value: tuple[int, ...]) -> tuple[int | None, str | None]:
    return (None, json.dumps(value)) if period.rules.criteria else (value[0], None)


def insert_submissions(
    period: Period, service: str, rows: Sequence[SubmissionRow], competition: int, at: datetime
) -> int:
    """Keep submissions in the order in which they were applied; returns how many had an id nobody has used."""
    cells = [
        (
            *(period.pk, row.player_id, period.board_id, competition, *_columns(period, row.value)),
            *(from_milliseconds(row.at_ms), row.sent_at, service, row.external_id, at),
        )
        for row in rows
    ]
    tail = (
        "ON CONFLICT (service, board_id, competition, external_id) WHERE external_id IS NOT NULL DO NOTHING"
        if any(row.external_id is not None for row in rows)
        else ""
    )
    return insert("leaderboards_submission", _SUBMISSION, cells, tail)


def attempts_made(period: Period, players: Collection[int]) -> Counter[int]:
    """How often each player has submitted in the period, voided ones too. Exact while his standing is locked."""
    made = Submission.objects.filter(period=period, player__in=players).values_list("player_id")
    return Counter(dict(made.annotate(Count("pk"))))


def insert(table: str, columns: Mapping[str, str], rows: Sequence[tuple[Cell, ...]], tail: str) -> int:
    """Insert ``rows`` into ``columns`` (name → PostgreSQL type); returns how many rows were written."""
    if not rows:
        return 0
    names = ", ".join(f'"{name}"' for name in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
            source = f"SELECT * FROM unnest({arrays})"
            params: list[Any] = [as_array(column) for column in zip(*rows, strict=True)]
        else:
            marks = f"({', '.join(['%s'] * len(columns))})"
            source = f"VALUES {', '.join([marks] * len(rows))}"
            params = [_plain(cell) for row in rows for cell in row]
        cursor.execute(f"INSERT INTO {table} ({names}) {source} {tail}", params)
        return int(cursor.rowcount)


def among(column: str, kind: str, values: Collection[Cell]) -> Q | RawSQL:
    """The condition that ``column`` of the one table that is asked is one of ``values``: one parameter for them all."""
    if connection.vendor == "postgresql":
        return RawSQL(f'"{column}" = ANY(%s::{kind}[])', [as_array(values)], BooleanField())  # noqa: S611 (names are ours)
    return Q(**{f"{column}__in": values})


def as_array(cells: Iterable[Cell]) -> str:
    """An array as PostgreSQL spells it. psycopg asks each cell how, which takes several times as long."""
    return f"{{{','.join(map(_spelled, cells))}}}"


def _spelled(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, str):
        return '"' + cell.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"{cell.isoformat()}"' if isinstance(cell, datetime) else str(cell)


def _plain(cell: Cell) -> Cell:
    """A value as SQLite takes it."""
    return str(connection.ops.adapt_datetimefield_value(cell)) if isinstance(cell, datetime) else cell
