"""Write players, standings and submissions in bulk.

The trap: write several standings in the order of players, or two writers deadlock.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count

from foundation.db.pipeline import StatementRunner
from foundation.sync import barrier
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Operator
from leaderboards.models import Part, Partition, Period, Player, QuarantinedEntry, Submission
from leaderboards.stores.sql.bulk import Cell, InsertTarget, insert, one_of, one_of_sql, send_rows
from leaderboards.stores.sql.own_tables import PARENT, SHARED, standings_table

ROWS_PER_STATEMENT = 250  # the server writes the first rows while the next statement is prepared

_PLAYER = {"external_id": "text", "name": "text", "avatar_url": "text", "country": "text", "created_at": "timestamptz"}
_STANDING = {
    "player_id": "bigint",
    "member": "text",
    "points": "bigint",
    "fields": "jsonb",
    "at": "milliseconds",
    "score": "float8",
    "version": "bigint",
    "metadata": "text",
}
_OF_PERIOD = {"period_id": "bigint", "pending_publish": "boolean"}
_STANDINGS = {table: InsertTarget(table, _STANDING, _OF_PERIOD) for table in (PARENT, SHARED)}
_SUBMISSION = InsertTarget(
    "leaderboards_submission",
    {
        "player_id": "bigint",
        "points": "bigint",
        "fields": "jsonb",
        "at": "milliseconds",
        "sent_at": "timestamptz",
        "external_id": "text",
        "operator": "text",
        "metadata": "text",
    },
    {
        "period_id": "bigint",
        "board_id": "int",
        "competition": "bigint",
        "service": "text",
        "created_at": "timestamptz",
    },
)
_SET_STANDING = ", ".join(
    f"{column} = excluded.{column}"
    for column in ("member", "points", "fields", "at", "score", "version", "pending_publish", "metadata")
)


class StandingRow(NamedTuple):
    """A standing to write. Without a state the player is not ranked."""

    player_id: int
    player: str
    member: str
    state: StandingState | None
    score: float | None
    version: int


class SubmissionRow(NamedTuple):
    """A submission to insert; ``value`` and ``at_ms`` are those that count, ``sent_at`` is the time in the request.

    ``operator`` is None for the board's policy, ``metadata`` is JSON as text.
    """

    player_id: int
    value: tuple[int, ...]
    at_ms: int
    sent_at: datetime | None
    external_id: str | None
    operator: Operator | None = None
    metadata: str | None = None


class SubmissionBatch(NamedTuple):
    """What the submissions of a call share. ``competition`` is 0 on calendar boards."""

    period: Period
    competition: int
    service: str
    at: datetime


def ensure_players(external_ids: Iterable[str], at: datetime) -> dict[str, Player]:
    """Return the players by external id; unknown ones are created."""
    ids = set(external_ids)
    player_ids_by_external_id(ids, at)
    rows = Player.objects.filter(one_of("external_id", "text", ids)).only("id", "external_id", "banned_at")
    return {row.external_id: row for row in rows}


def player_ids_by_external_id(external_ids: Collection[str], at: datetime) -> dict[str, int]:
    """Return the players' primary keys by external id; unknown players are created."""
    keys = _primary_keys(external_ids)
    if missing := set(external_ids) - keys.keys():
        make_players(missing, at)
        keys |= _primary_keys(missing)
    return keys


def make_players(external_ids: Collection[str], at: datetime) -> None:
    """Create players with these external ids, in sorted order; existing ones stay unchanged."""
    rows = [(external_id, "", "", "", at) for external_id in sorted(external_ids)]
    insert("leaderboards_player", _PLAYER, rows, "ON CONFLICT (external_id) DO NOTHING")


def _primary_keys(external_ids: Collection[str]) -> dict[str, int]:
    rows = Player.objects.filter(one_of("external_id", "text", external_ids))
    return dict(rows.values_list("external_id", "pk"))


def make_standings(period: Period, players: Collection[str]) -> None:
    """Create an empty standing for each of these existing players that has none, in the order of players."""
    condition, params = one_of_sql("p.external_id", "text", players)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {standings_table(period.pk)} (period_id, player_id, member, version, pending_publish)"
            f" SELECT %s, p.id, p.external_id, 0, %s FROM leaderboards_player p WHERE {condition} ORDER BY p.id"
            " ON CONFLICT (period_id, player_id) DO NOTHING",
            [period.pk, False, *params],
        )


def state_of(
    points: int | None, fields: list[int] | None, at: datetime | None, metadata: str | None = None
) -> StandingState:
    """Return a stored standing as the policies take it."""
    return StandingState(value_of(points, fields), milliseconds(at) if at else 0, metadata)


SUBMISSION_STATE = ("points", "fields", "at", "operator", "metadata")  # the columns of ``stored_submission_state``


def stored_submission_state(
    points: int | None, fields: list[int] | None, at: datetime, operator: str | None, metadata: str | None
) -> StandingState:
    """Return the columns of a stored submission as the policies take it."""
    return StandingState(
        value_of(points, fields), milliseconds(at), metadata, None if operator is None else Operator(operator)
    )


def submission_state(row: Submission | QuarantinedEntry) -> StandingState:
    """Return a stored submission as the policies take it, with its operator and metadata."""
    return stored_submission_state(row.points, row.fields, row.at, row.operator, row.metadata)


def value_of(points: int | None, fields: list[int] | None) -> tuple[int, ...]:
    """Return the value of a stored standing or submission: its fields, or its scaled points."""
    return tuple(fields) if fields is not None else (points or 0,)


def write_standings(
    statements: StatementRunner,
    period: Period,
    rows: Sequence[StandingRow],
    pending_publish: bool = False,
    only_newer: bool = False,
) -> None:
    """Insert or update standings. With ``only_newer`` those that SQL has in a later or the same version stay.

    ``pending_publish`` marks them as possibly missing in Redis.
    """
    table = standings_table(period.pk)
    tail = f"ON CONFLICT (period_id, player_id) DO UPDATE SET {_SET_STANDING}"
    if only_newer:
        tail += f" WHERE {table}.version < excluded.version"
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        part = rows[start : start + ROWS_PER_STATEMENT]
        cells = [
            (row.player_id, row.member, *_value(period, row.state), row.score, row.version, _metadata(row.state))
            for row in part
        ]
        send_rows(statements, _STANDINGS[table], cells, tail, (period.pk, pending_publish))


def mark_pending_publish(
    statements: StatementRunner, parts: Sequence[tuple[Part, Sequence[StandingRow]]], at: datetime
) -> None:
    """Mark standings that this transaction has written as possibly missing in Redis, and their families as stale."""
    period, rows = parts[0][0].period, [row for _, own in parts for row in own]
    condition, params = one_of_sql("player_id", "bigint", [row.player_id for row in rows])
    statements.execute(
        f"UPDATE leaderboards_standing SET pending_publish = %s WHERE period_id = %s AND {condition}",
        [True, period.pk, *params],
    )
    # If another transaction marks the period now, do not wait for it: should it not commit, the worker finds the rows.
    skip_locked = " FOR NO KEY UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    numbers = [("leaderboards_partition", part.pk) for part, _ in parts if isinstance(part, Partition)]
    for table, number in (*numbers, ("leaderboards_period", period.pk)):
        statements.execute(
            f"UPDATE {table} SET stale_since = %s WHERE id IN"
            f" (SELECT id FROM {table} WHERE id = %s AND stale_since IS NULL{skip_locked})",
            [connection.ops.adapt_datetimefield_value(at), number],
        )


def clear_pending_publish(part: Part, published: Sequence[tuple[int, int]]) -> None:
    """Clear ``pending_publish`` of published standings (player, version) that still have that version.

    Locked rows keep their marks. If the family has a new generation, nothing is cleared: Redis may lack them again.
    """
    if not published:
        return
    pairs = ", ".join(["(%s, %s)"] * len(published))
    skip_locked = " ORDER BY player_id FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with transaction.atomic(), connection.cursor() as cursor:
        barrier.hold_shared(part.period_id)
        if not part.same_generation.exists():
            return
        cursor.execute(
            "UPDATE leaderboards_standing SET pending_publish = %s WHERE period_id = %s AND id IN"
            " (SELECT id FROM leaderboards_standing"
            f" WHERE period_id = %s AND (player_id, version) IN (VALUES {pairs}){skip_locked})",
            [False, part.period_id, part.period_id, *(cell for pair in published for cell in pair)],
        )


def _value(period: Period, state: StandingState | None) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if state is None else (*_columns(period, state.value), state.at_ms)


def _metadata(state: StandingState | None) -> str | None:
    return None if state is None else state.metadata


def _columns(period: Period, value: tuple[int, ...]) -> tuple[int | None, str | None]:
    return (None, json.dumps(value)) if period.rules.criteria else (value[0], None)


def insert_submissions(statements: StatementRunner, batch: SubmissionBatch, rows: Sequence[SubmissionRow]) -> Any:
    """Insert submissions in the order they were applied, but for used ids; returns the cursor with its row count."""
    period = batch.period
    cells = [(row.player_id, *_columns(period, row.value), row.at_ms, *row[3:]) for row in rows]
    tail = (
        "ON CONFLICT (service, board_id, competition, external_id) WHERE external_id IS NOT NULL DO NOTHING"
        if any(row.external_id is not None for row in rows)
        else ""
    )
    shared = (period.pk, period.board_id, batch.competition, batch.service, batch.at)
    return send_rows(statements, _SUBMISSION, cells, tail, shared)


def count_attempts(period: Period, players: Collection[int]) -> Counter[int]:
    """Count each player's submissions in the period, voided ones too. Exact while the caller locks their standing."""
    submissions = Submission.objects.filter(period=period, player__in=players).values_list("player_id")
    return Counter(dict(submissions.annotate(Count("pk"))))
