"""Querying SQL while it may be unavailable: a circuit breaker, and a cache that serves stale answers.

Rows that are needed to serve a request that Redis could answer alone (keys, boards, periods, bans) are read through
``StaleIfErrorCache``. The trap: inside a transaction nothing is cached and no error is handled here, because the
transaction may be rolled back. docs/decisions/0010 says what else protects a cached answer.
"""

import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.monitoring.server_metrics import set_sql_breaker
from foundation.sunwi_settings import sunwi_settings

BREAK_SECONDS = 1.0
CACHE_TTL = 5.0  # seconds; for answers whose outdated use something else refuses
REFRESH_AT = 0.7  # of an answer's time to live: from then on one thread refreshes it while the others still use it
MAX_STALE_SECONDS = 600.0
VERSION_TRUST_SECONDS = 60.0  # after that a row is read again: in a restored database a row version may repeat
MAX_CACHED = 10_000
CONNECTION_ERRORS = (OperationalError, InterfaceError)

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class SqlAway(Unavailable):
    """SQL is unavailable."""


class SqlBusy(SqlAway):
    """A lock or a statement timed out: nothing was written, and SQL is healthy."""


def is_busy(error: BaseException) -> bool:
    """Whether the error is a ``lock_timeout`` or a ``statement_timeout``."""
    return getattr(error.__cause__, "sqlstate", None) in ("55P03", "57014")


def is_only_busy(error: Exception) -> bool:
    """Whether SQL is healthy, and only a lock or a statement timed out."""
    return isinstance(error, SqlBusy) or is_busy(error)


@contextmanager
def long_transaction() -> Iterator[None]:
    """An ``atomic`` block whose statements may take ``SQL_LONG_STATEMENT_SECONDS`` each.

    The limit holds to the end of the outermost transaction. A statement over it fails (``is_busy``): on a worker's
    thread nothing else would end it.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                timeout = f"{round(1000 * sunwi_settings.SQL_LONG_STATEMENT_SECONDS)}ms"
                cursor.execute("SET LOCAL statement_timeout = %s", [timeout])
        yield


def allow_idle_in_transaction(seconds: int) -> None:
    """Let the open transaction be idle for up to ``seconds`` before PostgreSQL ends it."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = %s", [1000 * seconds])


class _Breaker:
    silent_until = 0.0


def ask(query: Callable[[], Answer]) -> Answer:
    """Run ``query`` and return its answer. Raises ``SqlAway``: for a second after a failure, without a try.

    Raises ``SqlBusy`` after a timeout, which does not open the breaker. Inside a transaction the driver's errors pass
    through: the transaction is broken, and its owner must know.
    """
    if connection.in_atomic_block:
        return query()
    if clock.monotonic() < _Breaker.silent_until:
        raise SqlAway("SQL is away.")
    try:
        answer = query()
    except CONNECTION_ERRORS as error:
        if is_busy(error):
            raise SqlBusy("SQL is busy.") from error
        _Breaker.silent_until = clock.monotonic() + BREAK_SECONDS
        set_sql_breaker(BREAK_SECONDS)
        connection.close()
        raise SqlAway("SQL is away.") from error
    _Breaker.silent_until = 0.0
    return answer


class CachedAnswer(NamedTuple, Generic[Answer]):
    """An answer, when it was last confirmed and when it was read (monotonic seconds), and its row version if known."""

    since: float
    read: float
    answer: Answer
    stamp: str | None


class OldAnswer(NamedTuple, Generic[Answer]):
    """A cached answer, and how many seconds ago it was last confirmed."""

    age: float
    answer: Answer


class StaleIfErrorCache(Generic[Key, Answer]):
    """A cache of SQL rows with a time to live of ``fresh`` seconds; while SQL is unavailable, of ten minutes.

    One thread refreshes an answer shortly before it expires, while the others still use the old one.

    ``load`` reads many keys at once; keys that it leaves out do not exist, and that is not cached. Each call may give
    its own ``fresh``. Beyond ``most`` answers those that were stored first make room. ``stamps`` (see
    ``row_versions.py``) reads row versions: comparing them costs a quarter of reading the rows again. ``outdated``
    names those of old answers that are known to have changed since they were read: while SQL is unavailable they are
    as good as none.
    """

    def __init__(
        self,
        load: Callable[[Collection[Key]], Mapping[Key, Answer]],
        fresh: float = 0.0,
        stamps: Callable[[Collection[Key]], Mapping[Key, str]] | None = None,
        most: int = MAX_CACHED,
        outdated: Callable[[Mapping[Key, OldAnswer[Answer]]], Collection[Key]] | None = None,
    ) -> None:
        self._load, self._fresh, self._most = load, fresh, most
        self._outdated = outdated or _none_outdated
        self._stamps = stamps or _no_stamps
        self._rows: dict[Key, CachedAnswer[Answer]] = {}
        self._refreshing: set[Key] = set()
        self._drops = self._all_dropped = 0  # numbers of calls of ``drop`` and ``forget``: by order, not by time
        self._dropped: dict[Key, int] = {}
        self._lock = threading.Lock()

    def get(self, key: Key, fresh: float | None = None) -> Answer | None:
        """The answer for ``key``. Raises ``SqlAway`` if SQL is unavailable and no cached answer is recent enough."""
        row = self._rows.get(key)
        if row and clock.monotonic() - row.since < REFRESH_AT * (self._fresh if fresh is None else fresh):
            return row.answer
        return self.get_many([key], fresh).get(key)

    def get_many(self, keys: Collection[Key], fresh: float | None = None) -> dict[Key, Answer]:
        """The answers for those of ``keys`` that exist. Raises ``SqlAway`` as ``get`` does."""
        fresh = self._fresh if fresh is None else fresh
        cached = self._younger_than(fresh, keys)
        missing = [key for key in keys if key not in cached]
        claimed = self._claim_refresh(cached, REFRESH_AT * fresh)
        if not missing and not claimed:
            return cached
        try:
            loaded = ask(lambda: self._load_current([*missing, *claimed]))
        except SqlAway:
            stale = self._without_outdated(self._younger_than(MAX_STALE_SECONDS, missing))
            if len(stale) < len(missing):
                raise
            return cached | stale
        finally:
            with self._lock:
                self._refreshing.difference_update(claimed)
        return {key: answer for key, answer in cached.items() if key not in claimed} | loaded

    def peek(self, key: Key, fresh: float) -> CachedAnswer[Answer] | None:
        """The cached entry if it is younger than ``fresh`` seconds, without SQL. None inside a transaction."""
        row = self._rows.get(key)
        if row is None or connection.in_atomic_block or clock.monotonic() - row.since >= fresh:
            return None
        return row

    def __contains__(self, key: Key) -> bool:
        """Whether an answer is cached, however old."""
        return key in self._rows

    def refresh(self, key: Key) -> Answer | None:
        """Read the answer for ``key`` from SQL, however recent the cached one is. Raises ``SqlAway``."""
        return ask(lambda: self._load_current([key])).get(key)

    def forget(self) -> None:
        """Clear the cache. What is being read from SQL now is not cached either."""
        with self._lock:
            self._rows.clear()
            self._dropped.clear()
            self._drops = self._all_dropped = self._drops + 1

    def drop(self, keys: Collection[Key]) -> None:
        """Clear the answers of these keys, as ``forget`` does."""
        with self._lock:
            self._drops += 1
            if len(self._dropped) + len(keys) > MAX_CACHED:  # one number for all reads under way, in place of their own
                self._dropped.clear()
                self._all_dropped = self._drops
            for key in keys:
                self._rows.pop(key, None)
                self._dropped[key] = self._drops

    def distrust_reads(self) -> None:
        """Cache nothing of what is being read from SQL now."""
        with self._lock:
            self._drops = self._all_dropped = self._drops + 1

    def is_dropped(self, key: Key, since: int) -> bool:
        """Whether the answer of a key was dropped after ``drops`` was ``since``."""
        return max(self._dropped.get(key, 0), self._all_dropped) > since

    @property
    def drops(self) -> int:
        """How often answers were dropped."""
        return self._drops

    def _load_current(self, keys: Collection[Key]) -> dict[Key, Answer]:
        """The current answers: the cached one if its row version is unchanged, otherwise read again.

        Versions are read before rows: a row that changes in between is stored with its older version, and so it is
        read again next time.
        """
        began, drops = clock.monotonic(), self._drops
        stamps = {} if connection.in_atomic_block else self._stamps(keys)
        cached = {key: self._rows.get(key) for key in stamps}
        unchanged = {
            key: row
            for key, row in cached.items()
            if row and row.stamp == stamps[key] and row.read > began - VERSION_TRUST_SECONDS
        }
        self._confirm(unchanged, began)
        answers = {key: row.answer for key, row in unchanged.items()}
        changed = [key for key in keys if key not in answers]
        if changed:
            loaded = self._load(changed)
            self._store(changed, loaded, stamps, began, drops)
            answers |= loaded
        return answers

    def _younger_than(self, seconds: float, keys: Collection[Key]) -> dict[Key, Answer]:
        now = clock.monotonic()
        rows = ((key, self._rows.get(key)) for key in keys)
        return {key: row.answer for key, row in rows if row and now - row.since < seconds}

    def _without_outdated(self, stale: dict[Key, Answer]) -> dict[Key, Answer]:
        now = clock.monotonic()
        old = {key: OldAnswer(now - row.since, row.answer) for key in stale if (row := self._rows.get(key))}
        outdated = self._outdated(old) if old else ()
        return {key: each.answer for key, each in old.items() if key not in outdated}

    def _claim_refresh(self, keys: Collection[Key], seconds: float) -> list[Key]:
        """The keys whose entries are older than ``seconds`` and that no other thread refreshes: the caller must."""
        since = clock.monotonic() - seconds
        old = [key for key in keys if (row := self._rows.get(key)) and row.since <= since]
        if not old or connection.in_atomic_block:
            return []
        with self._lock:
            claimed = [key for key in old if key not in self._refreshing]
            self._refreshing.update(claimed)
        return claimed

    def _confirm(self, rows: Mapping[Key, CachedAnswer[Answer]], began: float) -> None:
        """Mark unchanged entries as current, except those that another thread replaced or cleared meanwhile."""
        with self._lock:
            for key, row in rows.items():
                if self._rows.get(key) is row:
                    self._rows[key] = row._replace(since=began)

    def _store(
        self, keys: Collection[Key], answers: Mapping[Key, Answer], stamps: Mapping[Key, str], began: float, drops: int
    ) -> None:
        """Store answers as of when the query ``began``: they may lack what was committed while it ran."""
        if connection.in_atomic_block:
            return
        with self._lock:
            if len(self._rows) + len(answers) > self._most:
                self._evict(len(answers) + self._most // 8)
            for key in keys:
                if self.is_dropped(key, drops):
                    continue  # it was read before it was dropped
                if (row := self._rows.pop(key, None)) and row.since > began:
                    self._rows[key] = row  # another thread began later and finished sooner
                elif key in answers:
                    self._rows[key] = CachedAnswer(began, began, answers[key], stamps.get(key))

    def _evict(self, count: int) -> None:
        """Clear the ``count`` answers that were stored first."""
        for key in [*islice(self._rows, count)]:
            del self._rows[key]


def _none_outdated(_old: Mapping[Key, OldAnswer[Answer]]) -> Collection[Key]:
    return ()


def _no_stamps(_keys: Collection[Key]) -> Mapping[Key, str]:
    return {}
