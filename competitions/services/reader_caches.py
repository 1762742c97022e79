"""Invalidate the caches of a competition in other processes, as ``leaderboards/services/sync/invalidate.py`` does for a
board.

Call these in the transaction that changes the competition. The trap: a change that hides standings must not reach any
reader late. So its cache version is blocked before the commit, and if Redis is away, the caches' expiry is waited for.
"""

import logging

from competitions.models import Competition
from competitions.selectors.standings.cached_competition import period_in_redis
from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import Storage
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.redis.cache_versions import block_cache_version

logger = logging.getLogger(__name__)


def invalidate_readers_of(competition: Competition) -> None:
    """Invalidate readers after the commit of a change to a competition or its participants. Drafts have no readers."""
    if competition.published_at is not None:
        invalidate_readers(period_in_redis(competition))


def invalidate_before_hiding(competition: Competition, *, wait_for_expiry: bool = True) -> None:
    """Invalidate readers of a change that may hide standings. Call it last: from now on readers read from SQL.

    ``wait_for_expiry``, as in ``invalidate_readers``: the caller reports the change as done, or next changes what is
    to be hidden.
    """
    if competition.published_at is None or competition.board.storage == Storage.SQL:
        return
    period = period_in_redis(competition)
    try:
        block_cache_version(redis.boards(), period)
    except Unavailable as error:
        logger.info("readers of competition %s are invalidated only after the commit: %s", competition.pk, error.detail)
    invalidate_readers(period, wait_for_expiry=wait_for_expiry, hides=True)
