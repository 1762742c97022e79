"""Lock the standings of players who score, and read in the same round trip what a decision needs from SQL.

The traps: lock several standings in the order of players, or two writers deadlock. Create no standing while holding
locks of others, since waiting for another transaction's new row can deadlock too.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction

from foundation.db.pipeline import StatementRunner, pipelined
from foundation.sync import barrier
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period, PeriodState
from leaderboards.stores.sql.bulk import one_of_sql
from leaderboards.stores.sql.own_tables import standings_table
from leaderboards.stores.sql.writes import make_players, make_standings

_AT_MS = {
    "postgresql": "floor(extract(epoch FROM s.at) * 1000)::bigint",
    "sqlite": "strftime('%%s', s.at) * 1000 + substr(strftime('%%f', s.at), 4)",
}
_BANNED_FROM_BOARD = (
    "SELECT r.player_id FROM leaderboards_restriction r"
    " WHERE r.board_id = %s AND r.kind = 'banned' AND r.lifted_at IS NULL"
)


class LockedStanding(NamedTuple):
    """A locked standing. ``banned``: everywhere, or on the period's board; ``state``: None if not ranked."""

    player_id: int
    banned: bool
    state: StandingState | None
    version: int


@contextmanager
def lock_timeout(wait_ms: int | None) -> Iterator[None]:
    """Open a transaction in which each lock is waited for at most ``wait_ms``; with None do nothing."""
    if wait_ms is None or connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {wait_ms:d}")
        yield


def ensure_standings(period: Period, players: Collection[str], at: datetime, wait_ms: int | None = None) -> None:
    """Make missing players and standings: each step in a transaction of its own, so that no lock outlives it."""
    with lock_timeout(wait_ms):
        make_players(players, at)
    with lock_timeout(wait_ms):
        make_standings(period, players)


def lock_period_and_standings(
    known: Period, players: Collection[str], wait_ms: int | None = None
) -> tuple[Period, dict[str, LockedStanding]]:
    """Hold the shared barrier, read the period, and lock the standings of these players; returns both.

    Players without a standing are omitted. With ``wait_ms``, PostgreSQL refuses a statement that waits longer for a
    lock. Raises ``Period.DoesNotExist``.
    """
    with pipelined() as statements:
        if wait_ms is not None and connection.vendor == "postgresql":
            statements.execute(f"SET LOCAL lock_timeout = {wait_ms:d}", ())
        barrier.hold_shared(known.pk, statements=statements)
        is_unchanged = _compare_sync_state(statements, known)
        rows = _lock(statements, known, players)
    return _reread_if_changed(known, is_unchanged), _by_player(rows)


def lock_standings(period: Period, players: Collection[str]) -> dict[str, LockedStanding]:
    """Lock the standings of these players; returns them by external id. Players without a standing are omitted."""
    return _by_player(_lock(StatementRunner(), period, players))


def unlocked_standings(period: Period, players: Collection[str]) -> list[tuple[Any, ...]]:
    """Read the standings of these players that are not locked: external id, player, score, member and version.

    No lock outlasts the call: on PostgreSQL the statement is its own transaction. SQLite has no row locks.
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


def _compare_sync_state(statements: StatementRunner, known: Period) -> Any:
    """Query whether the period's sync state is still the known one; its rules are, since it has begun."""
    same = "IS NOT DISTINCT FROM" if connection.vendor == "postgresql" else "IS"
    return statements.execute(
        f"SELECT state = %s AND generation = %s AND ends_at {same} %s AND stale_since IS NULL"
        " FROM leaderboards_period WHERE id = %s",
        [PeriodState.OPEN, known.generation, connection.ops.adapt_datetimefield_value(known.ends_at), known.pk],
    )


def _reread_if_changed(known: Period, is_unchanged: Any) -> Period:
    row = is_unchanged.fetchone()
    if row is None or not row[0] or known.stale_since is not None or known.state != PeriodState.OPEN:
        board, known = known.board, Period.objects.get(pk=known.pk)
        known.board = board  # may be seconds old, but only its storage matters here, which never changes
    if known.is_divided:
        known.forget_parts()
        known.parts  # noqa: B018 - read now, under the barrier
    return known


def _lock(statements: StatementRunner, period: Period, players: Collection[str]) -> Any:
    condition, params = one_of_sql("p.external_id", "text", players)
    return statements.execute(
        f"SELECT p.external_id, p.id, p.banned_at IS NOT NULL OR p.id IN ({_BANNED_FROM_BOARD}), s.points, s.fields,"
        f" {_AT_MS[connection.vendor]}, s.score IS NOT NULL, s.version, s.metadata"
        f" FROM leaderboards_player p JOIN {standings_table(period.pk)} s ON s.player_id = p.id AND s.period_id = %s"
        f" WHERE {condition} ORDER BY p.id{' FOR UPDATE OF s' if connection.vendor == 'postgresql' else ''}",
        [period.board_id, period.pk, *params],
    )


def _by_player(cursor: Any) -> dict[str, LockedStanding]:
    return {
        name: LockedStanding(number, bool(banned), _state(points, fields, at_ms, metadata) if ranked else None, version)
        for name, number, banned, points, fields, at_ms, ranked, version, metadata in cursor.fetchall()
    }


def _state(points: int | None, fields: str | None, at_ms: int, metadata: str | None) -> StandingState:
    return StandingState((points or 0,) if fields is None else tuple(json.loads(fields)), at_ms, metadata)
