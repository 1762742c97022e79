"""Telling who reads a board in other processes that they must ask SQL again (``selectors/editions.py``).

Called in the transaction that changes what readers see. Redis hears of it once that is committed, and before the change
is acknowledged. Whoever does not come so far has acknowledged nothing: what readers remember ends after a moment.
"""

import logging
import time
from collections.abc import Collection
from functools import partial

from django.db import transaction

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from leaderboards.models import Board, Period, State, Storage
from leaderboards.selectors.editions import MOMENT_SECONDS
from leaderboards.stores.zset_editions import drop_editions

logger = logging.getLogger(__name__)


def tell_readers_of(board: Board, surely: bool = False) -> None:
    """The board has changed. ``surely``: where Redis does not hear it, whoever changed it waits until nobody can
    remember what was before.

    The trap: a period may open before this is committed. So they are looked for again then.
    """
    known = _living(board)
    transaction.on_commit(lambda: _tell(known | _living(board), surely))


def _living(board: Board) -> set[Period]:
    """The periods of the board that are read from Redis."""
    if board.storage == Storage.SQL or board.is_event:  # competitions are read by asking SQL
        return set()
    return {*Period.objects.filter(board=board.pk, state__in=(State.OPEN, State.CLOSING))}


def tell_readers(period: Period) -> None:
    """The period has changed, or Redis may lack something of it."""
    if period.board.storage != Storage.SQL and not period.board.is_event:
        transaction.on_commit(partial(_tell, [period], False))


def _tell(periods: Collection[Period], surely: bool) -> None:
    failpoint("readers.before_told")
    try:
        drop_editions(redis.boards(), periods)
    except Unavailable as error:
        logger.info("readers hear within %s s that a board has changed: %s", MOMENT_SECONDS, error.detail)
        if surely:
            time.sleep(MOMENT_SECONDS)
