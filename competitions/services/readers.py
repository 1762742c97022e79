"""Telling who reads a competition in other processes that they must ask SQL again, as ``leaderboards/services/readers``
tells who reads a board.

Called in the transaction that changes it. The trap: what hides its standings must not be late for anybody. So nobody
draws an edition from before the commit on, and who cannot be told is waited for.
"""

import logging

from competitions.models import Competition
from competitions.selectors.steady import period_in_redis
from foundation import redis
from foundation.errors import Unavailable
from leaderboards.models import Storage
from leaderboards.services.readers import tell_readers
from leaderboards.stores.zset_editions import shut_edition

logger = logging.getLogger(__name__)


def tell_readers_of(competition: Competition) -> None:
    """Something of it has changed, or of who takes part. Drafts have no readers."""
    if competition.published_at is not None:
        tell_readers(period_in_redis(competition))


def tell_before_hiding(competition: Competition, *, surely: bool = True) -> None:
    """It has changed so that its standings may be hidden. Call it last: readers ask SQL from now on. ``surely`` as for
    ``tell_readers``: for who is told that it is done, or goes on to what is to be hidden."""
    if competition.published_at is None or competition.board.storage == Storage.SQL:
        return
    period = period_in_redis(competition)
    try:
        shut_edition(redis.boards(), period)
    except Unavailable as error:
        logger.info("readers of competition %s are told after the commit: %s", competition.pk, error.detail)
    tell_readers(period, surely=surely)
