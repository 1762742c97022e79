"""Telling who reads a board in other processes that they must ask SQL again (``selectors/editions.py``).

Called in the transaction that changes what readers see. Redis hears of it once that is committed, and before the change
is acknowledged: of all that one transaction has changed at once. Whoever does not come so far has acknowledged nothing:
what readers remember ends after a moment.
"""

import logging
import time
from collections.abc import Collection

from django.db import connection, transaction

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from leaderboards.models import Board, Period, State, Storage
from leaderboards.selectors.editions import MOMENT_SECONDS
from leaderboards.stores.zset_editions import drop_editions

logger = logging.getLogger(__name__)


class _News:
    """What a transaction tells once it is committed. It waits among what Django does then, and is gone if that is."""

    def __init__(self) -> None:
        self.boards: set[int] = set()
        self.periods: set[Period] = set()
        self.surely = False

    def __call__(self) -> None:
        """Tell it, in one command. The trap: a period may have opened before the commit: they are looked for again."""
        periods = self.periods | _living(self.boards)
        failpoint("readers.before_told")
        try:
            drop_editions(redis.boards(), periods)
        except Unavailable as error:
            logger.info("readers hear within %s s of what has changed: %s", MOMENT_SECONDS, error.detail)
            if self.surely:
                time.sleep(MOMENT_SECONDS)


def tell_readers_of(board: Board, surely: bool = False) -> None:
    """The board has changed. ``surely``: where Redis does not hear it, whoever changed it waits until nobody can
    remember what was before, once for all that they have changed.
    """
    if board.storage != Storage.SQL and not board.is_event:  # competitions are read by asking SQL
        _tell({board.pk}, _living({board.pk}), surely)


def tell_readers(period: Period) -> None:
    """The period has changed, or Redis may lack something of it."""
    if period.board.storage != Storage.SQL and not period.board.is_event:
        _tell((), {period})


def _tell(boards: Collection[int], periods: Collection[Period], surely: bool = False) -> None:
    told = next((each[1] for each in connection.run_on_commit if isinstance(each[1], _News)), None)
    news = told or _News()
    news.boards.update(boards)
    news.periods.update(periods)
    news.surely |= surely
    if told is None:
        transaction.on_commit(news)


def _living(boards: Collection[int]) -> set[Period]:
    """The periods of these boards that are read from Redis."""
    return {*Period.objects.filter(board__in=boards, state__in=(State.OPEN, State.CLOSING))}
