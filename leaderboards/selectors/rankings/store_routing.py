"""Choose the store that answers a query: Redis while it has the period's current state, else SQL.

If Redis is away, SQL answers, and ``live`` is False. Nothing answers in the place of DynamoDB.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from foundation.db.resilience import ask as ask_sql
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from foundation.sync.redis_state import StaleGeneration
from leaderboards.errors import StorageUnavailable
from leaderboards.models import IN_REDIS, OVER_STATES, Period, Storage
from leaderboards.selectors.catalog.cache_versions import fetch_version
from leaderboards.selectors.catalog.parts import load_cached_parts
from leaderboards.selectors.catalog.periods import reload_sync_state
from leaderboards.selectors.visibility.hidden import hidden_counts, hidden_in, keeps_vacated_places
from leaderboards.stores.base import ConditionalResult, Query, QueryResult, Store
from leaderboards.stores.dynamodb.reads import DynamoStore
from leaderboards.stores.excluding import ExcludingStore
from leaderboards.stores.redis.compact import CompactStore
from leaderboards.stores.redis.partitioned import PartitionedStore
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.sql.final import FinalStore
from leaderboards.stores.sql.reads import SqlStore, TimeBoundedSqlStore

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

LIST_PATIENCE_MS = 1500  # SQL timeout for all ranks of a list in the admin; ranks not counted by then are omitted
PATIENCE_MS = 300  # SQL timeout for one rank while Redis is away; after it the row has no rank


def read_from_store(
    period: Period, question: Callable[[Store, Period], Answer], reader: RedisClient | None = None
) -> tuple[Answer, bool]:
    """Return the answer to ``question`` without hidden players, and whether it is live.

    ``reader`` is the client in place of the boards' own (``lagging.py``). Raises ``SqlAway`` if no store can answer.
    """
    hidden = hidden_in(period)
    if hidden:
        stay_empty = keeps_vacated_places(period)
        return _route(
            period, lambda store, current: question(ExcludingStore(store, hidden, stay_empty), current), reader=reader
        )
    return _route(period, question, reader=reader)


def read_within_timeout(
    period: Period, question: Callable[[Store, Period], Answer], out: Collection[str]
) -> Answer | None:
    """Return the answer for a page that opens without it too, without the players ``out`` (ids).

    SQL has ``LIST_PATIENCE_MS``, and does not count totals. None if no store can answer now.
    """
    stay_empty = keeps_vacated_places(period)
    bounded = TimeBoundedSqlStore(LIST_PATIENCE_MS)
    try:
        return _route(
            period,
            lambda store, current: question(ExcludingStore(store, out, stay_empty) if out else store, current),
            sql_store=bounded,
            fallback_store=bounded,
        )[0]
    except Unavailable as error:
        logger.info("ranks of period %s are not shown: %s", period.pk, error.detail)
        return None


def read_in_time(period: Period, questions: Sequence[Query]) -> tuple[QueryResult, bool]:
    """Return the answers to questions that may name many players, without hidden ones, and whether they are live.

    SQL counts ranks for ``LIST_PATIENCE_MS`` in all, and no total (0 or less). Raises ``SqlAway`` as ``_route``.
    """
    hidden, bounded = hidden_in(period), TimeBoundedSqlStore(LIST_PATIENCE_MS)
    stay_empty = bool(hidden) and keeps_vacated_places(period)

    def read(store: Store, current: Period) -> QueryResult:
        shown = ExcludingStore(store, hidden, stay_empty) if hidden else store
        return shown.read(current, questions)

    return _route(period, read, sql_store=bounded, fallback_store=bounded)


def _route(
    period: Period,
    question: Callable[[Store, Period], Answer],
    sql_store: SqlStore | None = None,
    fallback_store: SqlStore | None = None,
    reader: RedisClient | None = None,
) -> tuple[Answer, bool]:
    """Ask Redis or SQL; ``sql_store`` for boards stored in SQL, ``fallback_store`` in the place of Redis.

    A cached row (with a ``cache_version``) is only good for Redis, which compares the version.
    """
    if period.cache_version:
        return _run_with_version(period, lambda: question(ZsetStore(reader or redis.boards()), period)), True
    if period.state in OVER_STATES:
        return ask_sql(lambda: question(FinalStore(), period)), True
    if period.board.storage == Storage.SQL:
        return _ask_sql(period, question, sql_store or SqlStore()), True
    if period.board.storage == Storage.DYNAMODB:
        return question(DynamoStore(), period), True
    if not period.is_stale:
        try:
            store = store_in_redis(period, reader)
            return retry_if_stale(period, lambda: question(store, period)), True
        except Unavailable as error:
            logger.info("period %s is read from SQL: %s", period.pk, error.detail)
    return _ask_sql(period, question, fallback_store or SqlStore(timeout_ms=PATIENCE_MS)), False


def live_store(period: Period) -> Store:
    """The store of a period that is not final."""
    stores: dict[str, Callable[[], Store]] = {Storage.SQL: SqlStore, Storage.DYNAMODB: DynamoStore}
    return stores.get(period.board.storage, partial(store_in_redis, period))()


def store_in_redis(period: Period, reader: RedisClient | None = None) -> ZsetStore | CompactStore | PartitionedStore:
    """Return the store that reads the period from Redis, with the client ``reader`` in place of the boards' own."""
    if period.is_divided:
        return PartitionedStore(redis.partitions_client())
    return (CompactStore if period.is_compact else ZsetStore)(reader or redis.boards())


def totals(periods: Collection[Period]) -> dict[int, int]:
    """Count the players of each period (by pk) with one round trip to Redis and at most two SQL statements.

    Periods in DynamoDB are missing while it does not answer. Raises ``SqlAway`` or ``StorageUnavailable`` if no store
    can answer for the others, and ``TooMany``.
    """
    counts = {period.pk: period.players for period in periods if period.state in OVER_STATES}
    running = [period for period in periods if period.pk not in counts]
    in_redis = [period for period in running if period.board.storage in IN_REDIS]
    load_cached_parts(in_redis)
    counts |= totals_in_redis([period for period in in_redis if not period.is_stale])
    missing_in_redis = [period for period in in_redis if period.pk not in counts]
    in_sql = [period for period in running if period.board.storage == Storage.SQL]
    for store, chosen in ((SqlStore(), in_sql), (SqlStore(timeout_ms=PATIENCE_MS), missing_in_redis)):
        counts |= ask_sql(partial(store.totals, chosen)) if chosen else {}
    in_dynamodb = [period for period in running if period.board.storage == Storage.DYNAMODB]
    counts |= _totals_in_dynamodb(in_dynamodb) if in_dynamodb else {}
    hidden = hidden_counts(periods)
    return {number: total - hidden[number] for number, total in counts.items()}


def totals_in_redis(periods: Sequence[Period]) -> dict[int, int]:
    """Count the periods that are current in Redis, by primary key; none while it is away."""
    try:
        undivided = [period for period in periods if not period.is_divided]
        counts = ZsetStore(redis.boards()).totals(undivided)
    except Unavailable as error:
        logger.info("%d periods are counted in SQL: %s", len(periods), error.detail)
        counts = {}
    divided = [period for period in periods if period.is_divided]
    return counts | PartitionedStore(redis.partitions_client()).totals(divided) if divided else counts


def _totals_in_dynamodb(periods: Sequence[Period]) -> dict[int, int]:
    try:
        return DynamoStore().totals(periods)
    except StorageUnavailable as error:
        logger.info("%d periods in DynamoDB are not counted: %s", len(periods), error.detail)
        return {}


def _ask_sql(period: Period, question: Callable[[Store, Period], Answer], store: SqlStore) -> Answer:
    """Ask SQL; again if an event's end moved meanwhile, since its scores are then packed by another layout."""
    while True:
        ends_at = period.ends_at
        answer = ask_sql(lambda: question(store, period))
        if not period.board.is_event:
            return answer
        ask_sql(lambda: period.refresh_from_db(fields=["ends_at"]))
        if period.ends_at == ends_at:
            return answer


def read_period_if_changed(  # noqa: PLR0913, PLR0917 - the questions of two kinds, and what is known already
    period: Period,
    questions: Sequence[Query],
    others: Sequence[Query],
    out: Collection[str],
    known: str,
    reader: RedisClient,
) -> ConditionalResult:
    """Read a period with a known cache version from Redis by ``reader``, without the players ``out`` (ids).

    The answers to ``questions`` come only if their digest is not ``known``; those to ``others`` always come.
    Unlike ``read_from_store`` it raises ``StaleGeneration`` and the errors of the Redis client.
    """
    store = ZsetStore(reader)
    if not out:
        return _run_with_version(period, lambda: store.read_if_changed(period, questions, known, others))
    excluding = ExcludingStore(store, out, keeps_vacated_places(period))
    wide_questions, wide_others = excluding.widen(questions), excluding.widen(others) if others else ()
    result = _run_with_version(period, lambda: store.read_if_changed(period, wide_questions, known, wide_others))
    reading = result.reading and excluding.narrow(period, questions, result.reading)
    beside = excluding.narrow(period, others, result.beside) if others else result.beside
    return result._replace(reading=reading, beside=beside)


def _run_with_version(period: Period, script: Callable[[], Answer]) -> Answer:
    """Run a script that compares the period's cache version; on ``StaleGeneration`` fetch the new version and raise."""
    try:
        return script()
    except StaleGeneration:
        fetch_version(period)
        raise


def retry_if_stale(period: Period, script: Callable[[], Answer]) -> Answer:
    """Run ``script`` for ``period``; once more if the period was resynced since its row was read.

    Raises ``StaleGeneration``, and what the script raises.
    """
    try:
        return script()
    except StaleGeneration:  # nothing was done
        refused_generations = [part.generation for part in period.parts]
        reload_sync_state(period)
        if period.is_stale or [part.generation for part in period.parts] == refused_generations:
            raise
    return script()
