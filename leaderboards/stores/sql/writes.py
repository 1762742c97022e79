"""Writing players, standings and submissions in bulk: one statement for any number of rows.

The trap: who writes several standings writes them sorted by player, or two writers lock each other out.
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
from leaderboards.models import Period, Player, Submission
from leaderboards.stores.sql.bulk import Cell, InsertTarget, insert, one_of, one_of_sql, send_rows

ROWS_PER_STATEMENT = 250  # the server writes the first while the next are put together

_PLAYER = {"external_id": "text", "name": "text", "avatar_url": "text", "country": "text", "created_at": "timestamptz"}
_STANDING = InsertTarget(
    "leaderboards_standing",
    {
        "player_id": "bigint",
        "member": "text",
        "points": "bigint",
        "fields": "jsonb",
        "at": "milliseconds",
        "score": "float8",
        "version": "bigint",
    },
    {"period_id": "bigint", "pending_publish": "boolean"},
)
_SUBMISSION = InsertTarget(
    "leaderboards_submission",
    {
        "player_id": "bigint",
        "points": "bigint",
        "fields": "jsonb",
        "at": "milliseconds",
        "sent_at": "timestamptz",
        "external_id": "text",
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
    for column in ("member", "points", "fields", "at", "score", "version", "pending_publish")
)


class StandingRow(NamedTuple):
    """A standing to be written. Without a state the player is not ranked."""

    player_id: int
    player: str
    member: str
    state: StandingState | None
    score: float | None
    version: int


class SubmissionRow(NamedTuple):
    """A submission to be kept; ``value`` and ``at_ms`` are what counted, ``sent_at`` what was said."""

    player_id: int
    value: tuple[int, ...]
    at_ms: int
    sent_at: datetime | None
    external_id: str | None


class SubmissionBatch(NamedTuple):
    """What the submissions of one call have in common: ``competition`` is 0 on calendar boards."""

    period: Period
    competition: int
    service: str
    at: datetime


def ensure_players(external_ids: Iterable[str], at: datetime) -> dict[str, Player]:
    """The players of these ids, made where they are unknown, sorted, in a statement of its own."""
    wanted = set(external_ids)
    player_ids_by_external_id(wanted, at)
    rows = Player.objects.filter(one_of("external_id", "text", wanted)).only("id", "external_id", "banned_at")
    return {row.external_id: row for row in rows}


def player_ids_by_external_id(external_ids: Collection[str], at: datetime) -> dict[str, int]:
    """The numbers of these players by id; who is unknown is made."""
    found = _numbers(external_ids)
    if missing := set(external_ids) - found.keys():
        make_players(missing, at)
        found |= _numbers(missing)
    return found


def make_players(external_ids: Collection[str], at: datetime) -> None:
    """Make the players of these ids, sorted; who is there already stays as they are."""
    rows = [(external_id, "", "", "", at) for external_id in sorted(external_ids)]
    insert("leaderboards_player", _PLAYER, rows, "ON CONFLICT (external_id) DO NOTHING")


def _numbers(external_ids: Collection[str]) -> dict[str, int]:
    rows = Player.objects.filter(one_of("external_id", "text", external_ids))
    return dict(rows.values_list("external_id", "pk"))


def make_standings(period: Period, players: Collection[str]) -> None:
    """Give these players, who are there, an empty standing each where they have none, sorted."""
    condition, params = one_of_sql("p.external_id", "text", players)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leaderboards_standing (period_id, player_id, member, version, pending_publish)"
            f" SELECT %s, p.id, p.external_id, 0, %s FROM leaderboards_player p WHERE {condition} ORDER BY p.id"
            " ON CONFLICT (period_id, player_id) DO NOTHING",
            [period.pk, False, *params],
        )


def state_of(points: int | None, fields: list[int] | None, at: datetime | None) -> StandingState:
    """A stored standing or submission as the policies know it."""
    return StandingState(value_of(points, fields), milliseconds(at) if at else 0)


def value_of(points: int | None, fields: list[int] | None) -> tuple[int, ...]:
    """What a stored standing or submission is worth: its fields, or its scaled points."""
    return tuple(fields) if fields is not None else (points or 0,)


def write_standings(
    statements: StatementRunner,
    period: Period,
    rows: Sequence[StandingRow],
    pending_publish: bool = False,
    only_newer: bool = False,
) -> None:
    """Write standings, ``pending_publish`` if Redis may lack them; with ``only_newer`` none that SQL has of a later
    version."""
    tail = f"ON CONFLICT (period_id, player_id) DO UPDATE SET {_SET_STANDING}"
    if only_newer:
        tail += " WHERE leaderboards_standing.version < excluded.version"
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        part = rows[start : start + ROWS_PER_STATEMENT]
        cells = [(row.player_id, row.member, *_value(period, row.state), row.score, row.version) for row in part]
        send_rows(statements, _STANDING, cells, tail, (period.pk, pending_publish))


def mark_pending_publish(
    statements: StatementRunner, period: Period, rows: Sequence[StandingRow], at: datetime
) -> None:
    """Redis may lack these standings, which this transaction has written: settling puts them."""
    condition, params = one_of_sql("player_id", "bigint", [row.player_id for row in rows])
    statements.execute(
        f"UPDATE leaderboards_standing SET pending_publish = %s WHERE period_id = %s AND {condition}",
        [True, period.pk, *params],
    )
    # Others who are saying so at this moment are not waited for: settling finds the marks, should they not commit.
    at_once = " FOR NO KEY UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    statements.execute(
        "UPDATE leaderboards_period SET stale_since = %s WHERE id IN"
        f" (SELECT id FROM leaderboards_period WHERE id = %s AND stale_since IS NULL{at_once})",
        [connection.ops.adapt_datetimefield_value(at), period.pk],
    )


def clear_pending_publish(period: Period, shown: Sequence[tuple[int, int]]) -> None:
    """Clear the marks of standings (player, version) that are still of that version. Nobody who writes is waited for.

    Only under the generation that they were shown under: another memory may lack them again.
    """
    if not shown:
        return
    pairs = ", ".join(["(%s, %s)"] * len(shown))
    locked = " ORDER BY player_id FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with transaction.atomic(), connection.cursor() as cursor:
        barrier.hold_shared(period.pk)
        if not Period.objects.filter(pk=period.pk, generation=period.generation).exists():
            return
        cursor.execute(
            "UPDATE leaderboards_standing SET pending_publish = %s WHERE id IN (SELECT id FROM leaderboards_standing"
            f" WHERE period_id = %s AND (player_id, version) IN (VALUES {pairs}){locked})",
            [False, period.pk, *(cell for pair in shown for cell in pair)],
        )


def _value(period: Period, state: StandingState | None) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if state is None else (*_columns(period, state.value), state.at_ms)


def _columns(period: Period, value: tuple[int, ...]) -> tuple[int | None, str | None]:
    return (None, json.dumps(value)) if period.rules.criteria else (value[0], None)


def insert_submissions(statements: StatementRunner, sending: SubmissionBatch, rows: Sequence[SubmissionRow]) -> Any:
    """Keep submissions in the order in which they were applied; the cursor knows how many had an id nobody has used."""
    period = sending.period
    cells = [(row.player_id, *_columns(period, row.value), row.at_ms, row.sent_at, row.external_id) for row in rows]
    tail = (
        "ON CONFLICT (service, board_id, competition, external_id) WHERE external_id IS NOT NULL DO NOTHING"
        if any(row.external_id is not None for row in rows)
        else ""
    )
    shared = (period.pk, period.board_id, sending.competition, sending.service, sending.at)
    return send_rows(statements, _SUBMISSION, cells, tail, shared)


def count_attempts(period: Period, players: Collection[int]) -> Counter[int]:
    """How often each player has submitted in the period, voided ones too. Exact while their standing is locked."""
    made = Submission.objects.filter(period=period, player__in=players).values_list("player_id")
    return Counter(dict(made.annotate(Count("pk"))))
