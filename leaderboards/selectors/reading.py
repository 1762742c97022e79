"""Which store answers: Redis while it shows the period's present state, else SQL.

Raises nothing for a Redis that is away: the answer then comes from SQL, and says so (``live`` is False).
"""

import logging
from collections.abc import Callable
from typing import TypeVar

from foundation import redis
from foundation.errors import Unavailable
from foundation.sql import ask as ask_sql
from leaderboards.models import Period, State, Storage
from leaderboards.stores.base import Stale, Store
from leaderboards.stores.sql import SqlStore
from leaderboards.stores.sql_final import FinalStore
from leaderboards.stores.zset import ZsetStore

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

PATIENCE_MS = 300  # how long SQL may count a rank while Redis is away; then the row comes without one


def ask(period: Period, question: Callable[[Store, Period], Answer]) -> tuple[Answer, bool]:
    """The answer to ``question``, and whether it is live. Raises ``SqlAway`` where neither can answer."""
    if period.state in (State.FINAL, State.EXPIRED):
        return ask_sql(lambda: question(FinalStore(), period)), True
    if period.board.storage == Storage.SQL:
        return ask_sql(lambda: question(SqlStore(), period)), True
    if period.stale_since is None:
        try:
            return _ask_redis(period, question), True
        except Unavailable as error:
            logger.info("period %s is read from SQL: %s", period.pk, error.detail)
    return ask_sql(lambda: question(SqlStore(patience_ms=PATIENCE_MS), period)), False


def _ask_redis(period: Period, question: Callable[[Store, Period], Answer]) -> Answer:
    store = ZsetStore(redis.boards())
    try:
        return question(store, period)
    except Stale:
        known = period.generation
        ask_sql(lambda: period.refresh_from_db(fields=["generation", "stale_since"]))
        if period.generation == known or period.stale_since is not None:
            raise
        return question(store, period)  # it was settled between our two reads
