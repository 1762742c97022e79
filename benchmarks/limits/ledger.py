"""What PostgreSQL does at best for scores: one transaction of two statements, a plain upsert, a rank by counting.

The tables are shaped as those of the product, keys and indexes included, but for foreign keys.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import psycopg

# player, member, points, score
Row = tuple[int, str, int, float]

_SUBMIT = (
    "INSERT INTO limit_submission (period_id, player_id, board_id, competition, points, at, service, created_at)"
    " SELECT %s, player, 1, 0, points, %s, 'limit', %s FROM unnest(%s::bigint[], %s::bigint[]) AS t(player, points)"
)
_UPSERT = (
    "INSERT INTO limit_standing (period_id, player_id, member, points, at, score, version, pending_publish)"
    " SELECT %s, player, member, points, %s, score, %s, false"
    " FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::float8[]) AS t(player, member, points, score)"
    " ON CONFLICT (period_id, player_id) DO UPDATE SET member = excluded.member, points = excluded.points,"
    " at = excluded.at, score = excluded.score, version = excluded.version"
)


class Ledger:
    """Standings of one period, copied from the product's table, and a ledger of submissions beside them."""

    def __init__(self, dsn: str, period_id: int) -> None:
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._period_id = period_id
        self._version = 1
        for name in ("standing", "submission"):
            self._connection.execute(f"DROP TABLE IF EXISTS limit_{name}")
            self._connection.execute(f"CREATE TABLE limit_{name} (LIKE leaderboards_{name} INCLUDING ALL)")
        self._connection.execute(
            "INSERT INTO limit_standing OVERRIDING SYSTEM VALUE"
            " SELECT * FROM leaderboards_standing WHERE period_id = %s ORDER BY id",
            [period_id],
        )
        self._connection.execute("ANALYZE limit_standing")

    def submit(self, rows: Sequence[Row]) -> None:
        """Insert a submission of each row and upsert its standing, in one transaction."""
        at = datetime.now(UTC)
        with self._connection.transaction():
            players, _, points, _ = zip(*rows, strict=True)
            self._connection.execute(_SUBMIT, [self._period_id, at, at, list(players), list(points)])
            self.upsert(rows)

    def upsert(self, rows: Sequence[Row]) -> None:
        """Upsert the standings, in one statement."""
        self._version += 1
        columns = [list(column) for column in zip(*rows, strict=True)]
        self._connection.execute(_UPSERT, [self._period_id, datetime.now(UTC), self._version, *columns])

    def rank(self, player_id: int) -> int:
        """A player's rank, by counting who is better."""
        found = self._connection.execute(
            "SELECT 1 + count(*) FROM limit_standing better, limit_standing me WHERE me.period_id = %s"
            " AND me.player_id = %s AND better.period_id = me.period_id"
            " AND (better.score, better.member) > (me.score, me.member)",
            [self._period_id, player_id],
        ).fetchone()
        return int(found[0]) if found else 0

    def close(self) -> None:
        """Leave nothing behind."""
        for name in ("standing", "submission"):
            self._connection.execute(f"DROP TABLE limit_{name}")
        self._connection.close()
