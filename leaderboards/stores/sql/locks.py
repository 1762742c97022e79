"""Locking the standings of those who score, and with them, in one round trip, all that deciding asks of SQL.

The trap: who locks several standings locks them sorted by player, or two writers lock each other out; and nobody
makes standings while they hold locks of others, since who waits for another's new row can be waited for themselves.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from django.db import connection, transaction

from foundation.db.pipeline import StatementRunner, pipelined
from foundation.sync import barrier
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period, PeriodState
from leaderboards.stores.sql.bulk import one_of_sql

_AT_MS = {
    "postgresql": "floor(extract(epoch FROM s.at) * 1000)::bigint",
    "sqlite": "strftime('%%s', s.at) * 1000 + substr(strftime('%%f', s.at), 4)",
}
_BANNED_FROM_BOARD = (
    "SELECT r.player_id FROM leaderboards_restriction r"
    " WHERE r.board_id = %s AND r.kind = 'banned' AND r.lifted_at IS NULL"
)


class LockedStanding(NamedTuple):
    """A standing as SQL has it, locked. ``banned`` is from everything or from the period's board; ``state`` is None
    where the player is not ranked."""

    player_id: int
    banned: bool
    state: StandingState | None
    version: int


@contextmanager
def lock_timeout(wait_ms: int | None) -> Iterator[None]:
    """A transaction in which each lock is waited for so long (ms); without a bound, the statements as they are."""
    if wait_ms is None or connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {wait_ms:d}")
        yield


def lock_period_and_standings(
    known: Period, players: Collection[str], wait_ms: int | None = None
) -> tuple[Period, dict[str, LockedStanding]]:
    """Behind the shared barrier: the period as it is now, and the standings of these players, locked.

    Whose standing is not there yet is left out. ``wait_ms`` limits how long any lock of this transaction is waited for;
    PostgreSQL knows it, and refuses the statement. Raises ``Period.DoesNotExist``.
    """
    with pipelined() as statements:
        if wait_ms is not None and connection.vendor == "postgresql":
            statements.execute(f"SET LOCAL lock_timeout = {wait_ms:d}", ())
        barrier.hold_shared(known.pk, statements=statements)
        course = _ask_course(statements, known)
        rows = _lock(statements, known, players)
    return _present(known, course), _held(rows)


def lock_standings(period: Period, players: Collection[str]) -> dict[str, LockedStanding]:
    """The standings of these players, locked, by external id; who has none is left out."""
    return _held(_lock(StatementRunner(), period, players))


def unlocked_standings(period: Period, players: Collection[str]) -> list[tuple[Any, ...]]:
    """Of these players whose standing nobody has locked: external id, player, score, member and version.

    Nothing is locked afterwards: on PostgreSQL the statement is a transaction of its own, which needs no word of ours
    to end. SQLite locks all who write, or nobody.
    """
    condition, params = one_of_sql("p.external_id", "text", players)
    is_postgresql = connection.vendor == "postgresql"
    with nullcontext() if is_postgresql else transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.external_id, p.id, s.score, s.member, s.version"
            " FROM leaderboards_player p JOIN leaderboards_standing s ON s.player_id = p.id AND s.period_id = %s"
            f" WHERE {condition} ORDER BY p.id{' FOR UPDATE OF s SKIP LOCKED' if is_postgresql else ''}",
            [period.pk, *params],
        )
        return list(cursor.fetchall())


def _ask_course(statements: StatementRunner, known: Period) -> Any:
    """Whether the period's course is still the one that is known: its rules are, since it has begun."""
    same = "IS NOT DISTINCT FROM" if connection.vendor == "postgresql" else "IS"
    return statements.execute(
        f"SELECT state = %s AND generation = %s AND ends_at {same} %s AND stale_since IS NULL"
        " FROM leaderboards_period WHERE id = %s",
        [PeriodState.OPEN, known.generation, connection.ops.adapt_datetimefield_value(known.ends_at), known.pk],
    )


def _present(known: Period, course: Any) -> Period:
    """The period as it is now; read again only where its course is not the known one."""
    row = course.fetchone()
    if row is None or not row[0] or known.stale_since is not None or known.state != PeriodState.OPEN:
        board, known = known.board, Period.objects.get(pk=known.pk)
        known.board = board  # of the last seconds: only its storage counts here, which never changes
    return known


def _lock(statements: StatementRunner, period: Period, players: Collection[str]) -> Any:
    condition, params = one_of_sql("p.external_id", "text", players)
    return statements.execute(
        f"SELECT p.external_id, p.id, p.banned_at IS NOT NULL OR p.id IN ({_BANNED_FROM_BOARD}), s.points, s.fields,"
        f" {_AT_MS[connection.vendor]}, s.score IS NOT NULL, s.version"
        " FROM leaderboards_player p JOIN leaderboards_standing s ON s.player_id = p.id AND s.period_id = %s"
        f" WHERE {condition} ORDER BY p.id{' FOR UPDATE OF s' if connection.vendor == 'postgresql' else ''}",
        [period.board_id, period.pk, *params],
    )


def _held(cursor: Any) -> dict[str, LockedStanding]:
    return {
        name: LockedStanding(number, bool(banned), _state(points, fields, at_ms) if ranked else None, version)
        for name, number, banned, points, fields, at_ms, ranked, version in cursor.fetchall()
    }


def _state(points: int | None, fields: str | None, at_ms: int) -> StandingState:
    return StandingState((points or 0,) if fields is None else tuple(json.loads(fields)), at_ms)
