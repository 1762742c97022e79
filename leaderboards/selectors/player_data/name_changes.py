"""Learn which names were changed in SQL, by any process, so that cached names need not be read again.

A trigger lists each change in the transaction that makes it (``NameChange``). A process asks at most every
``POLL_SECONDS`` for the changes of all transactions that its last question could not see yet, by PostgreSQL's own
snapshots: none is missed, in whatever order transactions end (decision 0097).

The trap: names count as current only while changes are known. On SQLite, inside a transaction and while SQL is away
they are not, and cached names end by their age.
"""

import threading
from collections.abc import Callable, Collection

from django.db import connection

from foundation import clock
from foundation.db.resilience import SqlAway, ask
from leaderboards.models import NameChange, Player

POLL_SECONDS = 0.5
KNOWN_SECONDS = 1.0  # so long after a question names count as current
MAX_GAP_SECONDS = 300.0  # after a longer pause all names are forgotten; ``retain`` keeps changes for longer
MAX_CHANGES = 1000  # more at once, and all names are forgotten

_SNAPSHOT = "SELECT pg_current_snapshot()::text"
_CHANGED = f"""
SELECT pg_current_snapshot()::text, NULL, NULL
UNION ALL
(SELECT NULL, changed.player, player.external_id
 FROM {NameChange._meta.db_table} changed LEFT JOIN {Player._meta.db_table} player ON player.id = changed.player
 WHERE changed.xid >= %s AND NOT pg_visible_in_snapshot(changed.xid::text::xid8, %s::pg_snapshot)
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
        self._snapshot, self._asked_at = "", float("-inf")

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
        begun = clock.monotonic()
        if not self._snapshot or self._age() > MAX_GAP_SECONDS:
            self._snapshot = _select(_SNAPSHOT)[0][0]
            self._forget()  # after the snapshot: what is read from now on is at least as new
        else:
            oldest = int(self._snapshot.partition(":")[0])  # all transactions before had ended
            (snapshot, *_), *changes = _select(_CHANGED, oldest, self._snapshot)
            if len(changes) > MAX_CHANGES:
                self._forget()
            elif changes:
                self._drop([(number, player) for _, number, player in changes])
            self._snapshot = snapshot
        self._asked_at = begun


def _select(statement: str, *args: int | str) -> list[tuple[str, int, str | None]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, args)
        rows: list[tuple[str, int, str | None]] = cursor.fetchall()
        return rows
