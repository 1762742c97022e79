"""Which store answers: Redis while it shows the period's present state, else SQL.

Raises nothing for a Redis that is away: the answer then comes from SQL, and says so (``live`` is False).
"""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from foundation.db.resilience import ask as ask_sql
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.selectors.catalog.cache_versions import fetch_version
from leaderboards.selectors.catalog.periods import reload_sync_state
from leaderboards.selectors.visibility.hidden import hidden_counts, hidden_in, keeps_vacated_places
from leaderboards.stores.base import ConditionalResult, Query, Store
from leaderboards.stores.excluding import ExcludingStore
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.sql.final import FinalStore
from leaderboards.stores.sql.reads import SqlStore, TimeBoundedSqlStore

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

LIST_PATIENCE_MS = 1500  # how long SQL may count all ranks of a list for staff together; the others are not told
PATIENCE_MS = 300  # how long SQL may count a rank while Redis is away; then the row comes without one


def read_from_store(period: Period, question: Callable[[Store, Period], Answer]) -> tuple[Answer, bool]:
    """The answer to ``question``, and whether it is live. Raises ``SqlAway`` where neither can answer.

    Anybody who is not shown is left out of it.
    """
    out = hidden_in(period)
    if out:
        stay_empty = keeps_vacated_places(period)
        return _ask(period, lambda store, asked: question(ExcludingStore(store, out, stay_empty), asked))
    return _ask(period, question)


def read_within_timeout(
    period: Period, question: Callable[[Store, Period], Answer], out: Collection[str]
) -> Answer | None:
    """The answer for a list that opens without it too: ``out`` (ids) are left out, SQL counts for ``LIST_PATIENCE_MS``
    and no totals. None where nobody can answer now."""
    stay_empty = keeps_vacated_places(period)
    hurried = TimeBoundedSqlStore(LIST_PATIENCE_MS)
    try:
        return _ask(
            period,
            lambda store, asked: question(ExcludingStore(store, out, stay_empty) if out else store, asked),
            by_sql=hurried,
            instead=hurried,
        )[0]
    except Unavailable as error:
        logger.info("ranks of period %s are not told: %s", period.pk, error.detail)
        return None


def _ask(
    period: Period,
    question: Callable[[Store, Period], Answer],
    by_sql: SqlStore | None = None,
    instead: SqlStore | None = None,
) -> tuple[Answer, bool]:
    """``by_sql`` answers where SQL decides, ``instead`` where it stands in for Redis.

    A row that was only remembered is answered for by Redis or not at all.
    """
    if period.cache_version:
        return _by_its_edition(period, lambda: question(ZsetStore(redis.boards()), period)), True
    if period.state in (PeriodState.FINAL, PeriodState.EXPIRED):
        return ask_sql(lambda: question(FinalStore(), period)), True
    if period.board.storage == Storage.SQL:
        return _ask_sql(period, question, by_sql or SqlStore()), True
    if period.stale_since is None:
        try:
            store = ZsetStore(redis.boards())
            return retry_if_stale(period, lambda: question(store, period)), True
        except Unavailable as error:
            logger.info("period %s is read from SQL: %s", period.pk, error.detail)
    return _ask_sql(period, question, instead or SqlStore(timeout_ms=PATIENCE_MS)), False


def totals(periods: Collection[Period]) -> dict[int, int]:
    """By period (its pk) how many players it has: one round trip to Redis, and two statements of SQL at most.

    Raises ``SqlAway`` where neither can answer, and ``TooMany``.
    """
    found = {
        period.pk: period.players for period in periods if period.state in (PeriodState.FINAL, PeriodState.EXPIRED)
    }
    living = [period for period in periods if period.pk not in found]
    in_redis = [period for period in living if period.board.storage != Storage.SQL]
    found |= _totals_in_redis([period for period in in_redis if period.stale_since is None])
    stood_in_for = [period for period in in_redis if period.pk not in found]
    by_sql = [period for period in living if period.board.storage == Storage.SQL]
    for store, asked in ((SqlStore(), by_sql), (SqlStore(timeout_ms=PATIENCE_MS), stood_in_for)):
        found |= ask_sql(partial(store.totals, asked)) if asked else {}
    out = hidden_counts(periods)
    return {number: total - out[number] for number, total in found.items()}


def _totals_in_redis(periods: Sequence[Period]) -> dict[int, int]:
    """Those that Redis shows as they are; none while it is away."""
    try:
        return ZsetStore(redis.boards()).totals(periods)
    except Unavailable as error:
        logger.info("%d periods are counted in SQL: %s", len(periods), error.detail)
        return {}


def _ask_sql(period: Period, question: Callable[[Store, Period], Answer], store: SqlStore) -> Answer:
    """The answer, of one layout: where an event's end was moved meanwhile its scores were packed anew, so ask again."""
    while True:
        ends_at = period.ends_at
        answer = ask_sql(lambda: question(store, period))
        if not period.board.is_event:
            return answer
        ask_sql(lambda: period.refresh_from_db(fields=["ends_at"]))
        if period.ends_at == ends_at:
            return answer


def read_period_if_changed(
    period: Period, questions: Sequence[Query], others: Sequence[Query], out: Collection[str], known: str
) -> ConditionalResult:
    """What Redis tells of a period whose edition is known, without ``out`` (ids), to who has the answers of the digest
    ``known`` to ``questions``. Raises as ``read_from_store`` does not: ``StaleGeneration``, and what the link
    raises."""
    store = ZsetStore(redis.boards())
    if not out:
        return _by_its_edition(period, lambda: store.read_if_changed(period, questions, known, others))
    without = ExcludingStore(store, out, keeps_vacated_places(period))
    others_wider = without.widen(others) if others else ()
    told = _by_its_edition(period, lambda: store.read_if_changed(period, without.widen(questions), known, others_wider))
    reading = told.reading and without.narrow(period, questions, told.reading)
    beside = without.narrow(period, others, told.beside) if others else told.beside
    return told._replace(reading=reading, beside=beside)


def _by_its_edition(period: Period, script: Callable[[], Answer]) -> Answer:
    """The answer while the edition stands. Raises ``StaleGeneration``, and what the link raises."""
    try:
        return script()
    except StaleGeneration:
        fetch_version(period)
        raise


def retry_if_stale(period: Period, script: Callable[[], Answer]) -> Answer:
    """What ``script`` answers for ``period``; run once more if the period was settled since its row was read.

    Raises ``StaleGeneration``, and what the script raises.
    """
    try:
        return script()
    except StaleGeneration:  # nothing was done
        known = period.generation
        reload_sync_state(period)
        if period.generation == known or period.stale_since is not None:
            raise
    return script()
