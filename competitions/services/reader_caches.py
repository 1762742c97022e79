"""Telling who reads a competition in other processes that they must ask SQL again, as ``leaderboards/services/readers``
tells who reads a board.

Called in the transaction that changes it. The trap: what hides its standings must not be late for anybody. So nobody
draws an edition from before the commit on, and who cannot be told is waited for.
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
    """Something of it has changed, or of who takes part. Drafts have no readers."""
    if competition.published_at is not None:
        invalidate_readers(period_in_redis(competition))


def invalidate_before_hiding(competition: Competition, *, wait_for_expiry: bool = True) -> None:
    """It has changed so that its standings may be hidden. Call it last: readers ask SQL from now on.
    ``wait_for_expiry`` as for
    ``invalidate_readers``: for who is told that it is done, or goes on to what is to be hidden."""
    if competition.published_at is None or competition.board.storage == Storage.SQL:
        return
    period = period_in_redis(competition)
    try:
        block_cache_version(redis.boards(), period)
    except Unavailable as error:
        logger.info("readers of competition %s are told after the commit: %s", competition.pk, error.detail)
    invalidate_readers(period, wait_for_expiry=wait_for_expiry)
