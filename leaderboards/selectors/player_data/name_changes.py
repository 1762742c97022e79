"""Learn which names were changed in SQL, by any process, so that cached names need not be read again.

A trigger lists each change in the transaction that makes it (``NameChange``). A process asks at most every
``POLL_SECONDS`` for the changes of all transactions that its last question could not see yet, by PostgreSQL's own
snapshots: none is missed, in whatever order transactions end (decision 0097).

The trap: names count as current only while changes are known. On SQLite, inside a transaction and while SQL is away
they are not, and cached names end by their age.
"""

import threading
from collections.abc import Callable, Collection
from typing import NamedTuple

from django.db import connection

from foundation import clock
from foundation.db.resilience import SqlAway, ask
from leaderboards.models import NameChange, Player

POLL_SECONDS = 0.5
KNOWN_SECONDS = 1.0  # so long after a question names count as current
MAX_GAP_SECONDS = 300.0  # after a longer pause all names are forgotten; ``retain`` keeps changes for a day
MAX_CHANGES = 1000  # more at once, and all names are forgotten

# Which transactions are seen; since when this server runs: another one may give out numbers again; and its clock, which
# goes on while a suspended machine's monotonic clock stands still.
_NOW = """
SELECT pg_current_snapshot()::text, pg_postmaster_start_time()::text, extract(epoch FROM clock_timestamp())::float8
"""
# Numbers from ``xmax`` on are of another server, whose rows were restored here.
_CHANGED = f"""
{_NOW}
UNION ALL
(SELECT player.external_id, NULL, changed.player
 FROM {NameChange._meta.db_table} changed LEFT JOIN {Player._meta.db_table} player ON player.id = changed.player
 WHERE changed.xid >= %s AND NOT pg_visible_in_snapshot(changed.xid::text::xid8, %s::pg_snapshot)
 AND changed.xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
 LIMIT {MAX_CHANGES + 1})
"""  # noqa: S608 - names and a number of our own

Change = tuple[int, str | None]  # a player's number, and their id unless the row is gone


class NameChanges:
    """What this process knows of changed names. ``drop`` forgets some, ``forget`` all."""

    def __init__(self, drop: Callable[[Collection[Change]], None], forget: Callable[[], None]) -> None:
        self._drop, self._forget = drop, forget
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Know nothing (for tests)."""
        self._seen: _Seen | None = None
        self._asked_at = float("-inf")

    def are_known(self) -> bool:
        """Whether all changes that were committed ``KNOWN_SECONDS`` ago are known; one thread asks if that is due."""
        if connection.vendor != "postgresql" or connection.in_atomic_block:
            return False
        if self._age() >= POLL_SECONDS and self._lock.acquire(blocking=False):
            try:
                if self._age() >= POLL_SECONDS:
                    ask(self._ask)
            except SqlAway:
                return False
            finally:
                self._lock.release()
        return self._age() < KNOWN_SECONDS

    def _age(self) -> float:
        return clock.monotonic() - self._asked_at

    def _ask(self) -> None:
        begun, before, changes = clock.monotonic(), self._seen, list[Change]()
        if before is None:
            (now,) = _select(_NOW)
        else:
            now, *rows = _select(_CHANGED, before.oldest, before.snapshot)
            changes = [(int(number), player) for player, _, number in rows]
        seen = _Seen(str(now[0]), str(now[1]), now[2])
        if before is None or not seen.follows(before) or len(changes) > MAX_CHANGES:
            self._forget()  # after the snapshot: what is read from now on is at least as new
        elif changes:
            self._drop(changes)
        self._seen, self._asked_at = seen, begun


class _Seen(NamedTuple):
    """A snapshot of a server, since when that runs, and its time in seconds."""

    snapshot: str
    server: str
    at: float

    @property
    def oldest(self) -> int:
        """All transactions before this one had ended."""
        return int(self.snapshot.partition(":")[0])

    def follows(self, before: "_Seen") -> bool:
        """Whether all changes since ``before`` are in the list: of the same server, and not too long ago."""
        return self.server == before.server and self.oldest >= before.oldest and self.at - before.at <= MAX_GAP_SECONDS


def _select(statement: str, *args: int | str) -> list[tuple[str | None, str | None, float]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, args)
        rows: list[tuple[str | None, str | None, float]] = cursor.fetchall()
        return rows
