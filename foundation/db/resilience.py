"""Asking SQL when it may be away: short answers, a breaker, a back-off, and the last known answer while it is silent.

What must be known to serve a request that Redis could answer alone (keys, boards, periods, bans) is asked
through ``StaleIfErrorCache``. The trap: inside a transaction nothing may be remembered or forgiven, since it may be
rolled back. What else guards a remembered answer is in docs/decisions/0010.
"""

import logging
import random
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.monitoring.server_metrics import set_sql_breaker

logger = logging.getLogger(__name__)

BREAK_SECONDS = 1.0
CACHE_TTL = 5.0  # how old an answer may be where something else refuses what has changed since
AHEAD = 0.7  # of the time that an answer serves: then one thread asks afresh, while the others go on with it
MAX_STALE_SECONDS = 600.0
STAMP_TRUST_SECONDS = 60.0  # a stamp of a database that was restored may be met again
MOST_COMPARED = 2  # one by one; more are read at once
MOST_KEPT = 10_000
CONNECTION_ERRORS = (OperationalError, InterfaceError)

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class SqlAway(Unavailable):
    """SQL cannot be asked."""


class SqlBusy(SqlAway):
    """A lock was not had in time, or a statement took too long: nothing was kept, and SQL is well."""


def is_busy(error: BaseException) -> bool:
    """Whether SQL gave up waiting for a lock (``lock_timeout``), or a statement (``statement_timeout``)."""
    return getattr(error.__cause__, "sqlstate", None) in ("55P03", "57014")


@contextmanager
def long_transaction() -> Iterator[None]:
    """A transaction, or a part of one, whose statements may take ``SQL_LONG_STATEMENT_SECONDS`` each, to the end of
    the whole. One that takes longer is ended (``is_busy``): nothing else would end it on a worker's thread.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                longest = f"{round(1000 * settings.SQL_LONG_STATEMENT_SECONDS)}ms"
                cursor.execute("SET LOCAL statement_timeout = %s", [longest])
        yield


def allow_idle_in_transaction(seconds: int) -> None:
    """Let the transaction that is open ask nothing of SQL for so long: it works elsewhere meanwhile."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = %s", [1000 * seconds])


class _Breaker:
    silent_until = 0.0


def ask(query: Callable[[], Answer]) -> Answer:
    """The answer of ``query``. Raises ``SqlAway``; after a failure at once, for a second. ``SqlBusy`` says nothing of
    the next query.

    Inside a transaction errors stay what they are: it is broken, and its owner must know.
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


class BackOff:
    """Fewer and fewer tries while SQL is away, at uneven moments, so that many workers do not all knock at once.

    What is asked for in a pause is not tried. The first try that gets through ends it. The state is the process's own.
    """

    def __init__(self, shortest: float = 0.5, longest: float = 5.0) -> None:
        self._shortest, self._longest = shortest, longest
        self._pause = 0.0
        self._until = 0.0

    def attempt(self, deed: Callable[[], Answer]) -> Answer:
        """What ``deed`` returns. Raises ``SqlAway`` in a pause, and where SQL fails it."""
        if clock.monotonic() < self._until:
            raise SqlAway("SQL was away a moment ago.")
        try:
            answer = deed()
        except CONNECTION_ERRORS as error:
            if is_busy(error):
                logger.warning("SQL is busy, and asked again by the next run: %s", error)
                raise SqlBusy("SQL is busy.") from error
            self._pause = min(2 * self._pause or self._shortest, self._longest)
            wait = self._pause * random.uniform(0.5, 1.0)  # noqa: S311 (chance against a crowd, no secret)
            self._until = clock.monotonic() + wait
            connection.close()
            logger.warning("SQL is away, and asked again in %.1f s: %s", wait, error)
            raise SqlAway("SQL is away.") from error
        self._pause = self._until = 0.0
        return answer


class CachedAnswer(NamedTuple, Generic[Answer]):
    """An answer, since when it is known to be so, when it was read (both monotonic seconds), and the stamp of its row
    where that was asked."""

    since: float
    read: float
    answer: Answer
    stamp: str | None


class StaleIfErrorCache(Generic[Key, Answer]):
    """Answers by key, asked afresh every ``fresh`` seconds, and kept for ten minutes while SQL is silent.

    A key that many threads want is asked for by one of them, a little before its time, and nobody waits for that one.

    ``load`` answers for many keys at once; what it leaves out is unknown, and is never remembered. Who can do with
    an answer of the last seconds asks with a ``fresh`` of their own, out of the same memory. ``stamps`` (see
    ``row_version_loader``) tells whether rows are still those that were read: that costs a quarter of reading them
    again.
    """

    def __init__(
        self,
        load: Callable[[Collection[Key]], Mapping[Key, Answer]],
        fresh: float = 0.0,
        stamps: Callable[[Collection[Key]], Mapping[Key, str]] | None = None,
    ) -> None:
        self._load = load
        self._fresh = fresh
        self._stamps = stamps or _no_stamps
        self._rows: dict[Key, CachedAnswer[Answer]] = {}
        self._renewing: set[Key] = set()
        self._lock = threading.Lock()

    def get(self, key: Key, fresh: float | None = None) -> Answer | None:
        """The answer for ``key``. Raises ``SqlAway`` where SQL is away and no answer is young enough."""
        row = self._rows.get(key)
        if row and clock.monotonic() - row.since < AHEAD * (self._fresh if fresh is None else fresh):
            return row.answer
        return self.get_many([key], fresh).get(key)

    def get_many(self, keys: Collection[Key], fresh: float | None = None) -> dict[Key, Answer]:
        """The answers for those of ``keys`` that have one. Raises ``SqlAway`` likewise."""
        fresh = self._fresh if fresh is None else fresh
        found = self._younger_than(fresh, keys)
        wanted = [key for key in keys if key not in found]
        claimed = self._claim(found, AHEAD * fresh)
        if not wanted and not claimed:
            return found
        try:
            present = ask(lambda: self._present([*wanted, *claimed]))
        except SqlAway:
            known = self._younger_than(MAX_STALE_SECONDS, wanted)
            if len(known) < len(wanted):
                raise
            return found | known
        finally:
            with self._lock:
                self._renewing.difference_update(claimed)
        return {key: answer for key, answer in found.items() if key not in claimed} | present

    def peek(self, key: Key, fresh: float) -> CachedAnswer[Answer] | None:
        """What is remembered, if it is younger than that: SQL is not asked. None inside a transaction."""
        row = self._rows.get(key)
        if row is None or connection.in_atomic_block or clock.monotonic() - row.since >= fresh:
            return None
        return row

    def refresh(self, key: Key) -> Answer | None:
        """The answer for ``key``, asked afresh however young the one is that we have. Raises ``SqlAway``."""
        return ask(lambda: self._present([key])).get(key)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._rows.clear()

    def _present(self, wanted: Collection[Key]) -> dict[Key, Answer]:
        """What SQL says now: what is remembered where the stamp is the same, else read again.

        Stamps are read first: of a row that changes in between the older one is kept, and it is read again next time.
        """
        asked = clock.monotonic()
        stamps = {} if connection.in_atomic_block else self._stamps(wanted)
        known = {key: self._rows.get(key) for key in stamps}
        same = {
            key: row
            for key, row in known.items()
            if row and row.stamp == stamps[key] and row.read > asked - STAMP_TRUST_SECONDS
        }
        self._renew(same, asked)
        found = {key: row.answer for key, row in same.items()}
        left = [key for key in wanted if key not in found]
        if left:
            answers = self._load(left)
            self._keep(left, answers, stamps, asked)
            found |= answers
        return found

    def _younger_than(self, seconds: float, keys: Collection[Key]) -> dict[Key, Answer]:
        now = clock.monotonic()
        rows = ((key, self._rows.get(key)) for key in keys)
        return {key: row.answer for key, row in rows if row and now - row.since < seconds}

    def _claim(self, found: Collection[Key], seconds: float) -> list[Key]:
        """Those of them that are so old, and that no other thread asks for ahead of time: the caller does."""
        since = clock.monotonic() - seconds
        old = [key for key in found if (row := self._rows.get(key)) and row.since <= since]
        if not old or connection.in_atomic_block:
            return []
        with self._lock:
            claimed = [key for key in old if key not in self._renewing]
            self._renewing.update(claimed)
        return claimed

    def _renew(self, rows: Mapping[Key, CachedAnswer[Answer]], asked: float) -> None:
        """They are still so; but for what was forgotten or read anew meanwhile."""
        with self._lock:
            for key, row in rows.items():
                if self._rows.get(key) is row:
                    self._rows[key] = row._replace(since=asked)

    def _keep(
        self, wanted: Collection[Key], answers: Mapping[Key, Answer], stamps: Mapping[Key, str], asked: float
    ) -> None:
        """They are so since they were ``asked`` for: what was committed while SQL read may not be in them."""
        if connection.in_atomic_block:
            return
        with self._lock:
            if len(self._rows) + len(answers) > MOST_KEPT:
                self._rows.clear()
            for key in wanted:
                if (row := self._rows.pop(key, None)) and row.since > asked:
                    self._rows[key] = row  # somebody asked later, and was answered sooner
                elif key in answers:
                    self._rows[key] = CachedAnswer(asked, asked, answers[key], stamps.get(key))


def _no_stamps(_keys: Collection[Key]) -> Mapping[Key, str]:
    return {}


def row_version_loader(
    table: str, *columns: str, of: Sequence[str] = ("xmin",)
) -> Callable[[Collection[Any]], Mapping[Any, str]]:
    """Tells by their ``columns`` which transaction wrote rows last (PostgreSQL's ``xmin``): another one, another row.

    A key is a value, or a tuple where there are several columns. Where ``table`` joins two, ``of`` names both ``xmin``.
    Nothing on SQLite.
    """
    named = " AND ".join(f"{column} = %s" for column in columns)
    written = " || ' ' || ".join(f"{xmin}::text" for xmin in of)
    one = f"SELECT {written} FROM {table} WHERE {named}"  # noqa: S608 (names of our own)

    def stamps(keys: Collection[Any]) -> Mapping[Any, str]:
        if connection.vendor != "postgresql" or len(keys) > MOST_COMPARED:
            return {}
        found = {}
        with connection.cursor() as cursor:
            for key in keys:
                cursor.execute(one, key if isinstance(key, tuple) else [key])
                if row := cursor.fetchone():
                    found[key] = row[0]
        return found

    return stamps
