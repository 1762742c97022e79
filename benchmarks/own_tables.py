"""A period in tables of its own beside one in the shared tables: filling, closing and deleting it; and what others pay.

    python -m benchmarks.own_tables [--players 1000000] [--passes 5] [--json FILE]

Two `sql` boards get so many standings each, in turns of chunks. Then both close, expire, and are deleted. Before that,
the statement that writes a score of an ordinary board is run by turns against the part of the divided table that the
product names, and against a plain table of the same columns, indexes and keys: what everybody pays for the division.
Sizes are of all tables and indexes. Twenty-five million players take about an hour, and 30 GB of disk.
"""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Bound, Figure, Sample, Size, at_least, over, ratio

A_CHUNK = 50_000
A_BATCH = 250
PLAIN = "plain_standing"
_FILL = (
    "INSERT INTO leaderboards_standing (period_id, player_id, member, points, at, score, version, pending_publish)"
    " SELECT %s, id, external_id, p, now(), p, 1, false FROM (SELECT id, external_id, (random() * 1e9)::bigint AS p"
    " FROM leaderboards_player WHERE id > %s AND id <= %s) players"
)
# As `write_standings` has it for one player, and for many.
_UPSERT = (
    "INSERT INTO {table} (period_id, player_id, member, points, at, score, version, pending_publish)"
    " SELECT %s::bigint, n, 'player-' || n, %s::bigint + n, now(), %s::bigint + n, 1, false"
    " FROM unnest(%s::bigint[]) n"
    " ON CONFLICT (period_id, player_id) DO UPDATE SET member = excluded.member, points = excluded.points,"
    " at = excluded.at, score = excluded.score, version = excluded.version, pending_publish = excluded.pending_publish"
)


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run, each with the seconds of both sides beside it."""
    from benchmarks.harness.boards import make_players

    boards = {name: _period(name) for name in ("own", "shared")}
    make_players(size.players)
    figures: dict[str, Any] = {"players": size.players} | _Everybody(size).figures()
    own, shared = boards["own"], boards["shared"]
    if not own.has_own_tables or shared.has_own_tables:
        raise SystemExit("the periods are not where they should be")
    empty = _bytes(shared)
    figures |= {"own_insert": _filled(own, shared, size.players)}
    figures |= {"own_bytes": _bytes(own), "shared_bytes": _bytes(shared) - empty}
    figures |= _once("own_close", own, shared, _close, size.players)
    figures |= {"own_bytes_final": _bytes(own), "shared_bytes_final": _bytes(shared) - empty}
    figures |= _once("own_delete", own, shared, _delete, size.players)
    return figures | {"own_drop_seconds": _drop(), "shared_bytes_after": _bytes(shared) - empty}


def _period(name: str) -> Any:
    from benchmarks.harness.boards import open_board

    settings = {"keep_submissions_days": 2, "retention_days": 0, "keep_periods_days": 1}
    return open_board("sql", f"Bench {name}", own_tables=name == "own", ties="shared", **settings)


class _Everybody:
    """The divided table beside a plain one, for periods of ordinary boards."""

    def __init__(self, size: Size) -> None:
        from django.db import connection

        self._size, self._turn, self._period = size, 0, _period("ordinary").pk
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {PLAIN} (LIKE leaderboards_standing_rest INCLUDING ALL)")
            cursor.execute(f"ALTER TABLE {PLAIN} ALTER id SET DEFAULT nextval('leaderboards_standing_id_seq')")
            for column, of in (("period_id", "leaderboards_period"), ("player_id", "leaderboards_player")):
                cursor.execute(
                    f"ALTER TABLE {PLAIN} ADD FOREIGN KEY ({column}) REFERENCES {of} DEFERRABLE INITIALLY DEFERRED"
                )
            cursor.execute("SELECT min(id) FROM leaderboards_player")
            (self._first,) = cursor.fetchone()
        self._players = min(size.players, 20_000)

    def figures(self) -> dict[str, Figure]:
        """Scores by CPU of PostgreSQL into the shared part, and through the divided table, over those into a plain one.

        All of these players stand in each of them before.
        """
        from leaderboards.stores.sql.own_tables import PARENT, standings_table

        found, passes = {}, max(self._size.passes, 5) * 2
        for table in (PLAIN, standings_table(self._period)):
            self._into(table, A_BATCH, self._players // A_BATCH + 1)()
        for name, players, times in (("single", 1, 3000), ("batch", A_BATCH, 40)):
            plain = self._into(PLAIN, players, times)
            ours = self._into(standings_table(self._period), players, times)
            routed = self._into(PARENT, players, times)
            _vacuum()
            found[f"divided_{name}"] = ratio(passes, ours, plain, at_least(0.97))
            _vacuum()  # or the part, which both write, has more dead rows than the plain table
            found[f"routed_{name}"] = ratio(passes, routed, plain, Bound())
        return found

    def _into(self, table: str, players: int, times: int) -> Callable[[], Sample]:
        from django.db import connection, transaction

        from foundation.db.pipeline import pipelined

        statement = _UPSERT.format(table=table)

        def work() -> Sample:
            before = self._cpu()
            for written in range(times):
                with transaction.atomic(), pipelined() as statements:
                    numbers = [self._next() for _ in range(players)]
                    statements.execute(statement, (self._period, written, written, numbers))
            return Sample(times * players, self._cpu() - before)

        connection.ensure_connection()
        return work

    def _cpu(self) -> float:
        """Seconds of the process of PostgreSQL that serves this connection: Linux alone tells."""
        from django.db import connection

        told = Path(f"/proc/{connection.connection.info.backend_pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def _next(self) -> int:
        self._turn = (self._turn + 7919) % self._players
        return int(self._first + self._turn)


def _vacuum() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in (PLAIN, "leaderboards_standing_rest"):
            cursor.execute(f"VACUUM {table}")


def _filled(own: Any, shared: Any, players: int) -> Figure:
    from django.db import connection

    ours: list[Sample] = []
    theirs: list[Sample] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(id), max(id) FROM leaderboards_player")
        first, last = cursor.fetchone()
        for start in range(first - 1, last, A_CHUNK):
            for period, samples in ((own, ours), (shared, theirs)):
                began = time.perf_counter()
                cursor.execute(_FILL, [period.pk, start, start + A_CHUNK])
                samples.append(Sample(cursor.rowcount, time.perf_counter() - began))
        cursor.execute("ANALYZE")
    total = [Sample(players, sum(each.seconds for each in side)) for side in (ours, theirs)]
    return over([total[0]], [total[1]])


def _once(name: str, own: Any, shared: Any, work: Callable[[Any], None], players: int) -> dict[str, Any]:
    """What happens once to each: the shared one first."""
    samples = []
    for period in (shared, own):
        began = time.perf_counter()
        work(period)
        samples.append(Sample(players, time.perf_counter() - began))
    seconds = {f"{name}_seconds": round(samples[1].seconds, 3), f"{name}_seconds_shared": round(samples[0].seconds, 3)}
    return {name: over([samples[1]], [samples[0]])} | seconds


def _close(period: Any) -> None:
    from foundation import clock
    from leaderboards.services.periods.close import close_period

    if not close_period(period, clock.now() + timedelta(days=15)).final:
        raise SystemExit("the period does not close")


def _delete(period: Any) -> None:
    from foundation import clock
    from leaderboards.models import Period, PeriodState
    from leaderboards.services.periods.delete_old import delete_old_periods

    Period.objects.filter(pk=period.pk).update(state=PeriodState.EXPIRED)
    if delete_old_periods(clock.now() + timedelta(days=30)) != 1:
        raise SystemExit("the period is not deleted")


def _drop() -> float:
    from leaderboards.services.periods.delete_old import drop_left_over_tables

    began = time.perf_counter()
    if drop_left_over_tables() != 1:
        raise SystemExit("the tables are not dropped")
    return round(time.perf_counter() - began, 3)


def _bytes(period: Any) -> int:
    from django.db import connection

    part = str(period.pk) if period.has_own_tables else "rest"
    with connection.cursor() as cursor:
        sizes = " + ".join(
            f"pg_total_relation_size('leaderboards_{each}_{part}')" for each in ("standing", "finalstanding")
        )
        cursor.execute(f"SELECT {sizes}")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    run_sized(__doc__, measure)
