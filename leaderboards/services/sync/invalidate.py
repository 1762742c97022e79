"""Telling who reads a board in other processes that they must ask SQL again (``selectors/catalog/cache_versions.py``).

Called in the transaction that changes what readers see. Redis hears of it once that is committed, and before the change
is acknowledged: of all that one transaction has changed at once. Whoever does not come so far has acknowledged nothing:
what readers remember ends after a moment.
"""

import logging
import time
from collections.abc import Collection, Iterable

from django.db import connection, transaction

from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Period, PeriodState, Storage
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS
from leaderboards.stores.redis.cache_versions import drop_cache_versions

logger = logging.getLogger(__name__)


class _News:
    """What a transaction tells once it is committed. It waits among what Django does then, and is gone if that is."""

    def __init__(self) -> None:
        self.boards: set[int] = set()
        self.periods: set[PeriodKeyFamily] = set()
        self.wait_for_expiry = False

    def __call__(self) -> None:
        """Tell it, in one command. The trap: a period may have opened before the commit: they are looked for again."""
        periods = self.periods | _living(self.boards)
        failpoint("readers.before_told")
        try:
            drop_cache_versions(redis.boards(), periods)
        except Unavailable as error:
            logger.info("readers hear within %s s of what has changed: %s", MAX_READ_STALENESS_SECONDS, error.detail)
            if self.wait_for_expiry:
                time.sleep(MAX_READ_STALENESS_SECONDS)


def invalidate_readers_of(board: Board, wait_for_expiry: bool = False) -> None:
    """The board has changed. ``wait_for_expiry``: where Redis does not hear it, whoever changed it waits until nobody
    can
    remember what was before, once for all that they have changed.
    """
    if board.storage != Storage.SQL:
        _tell({board.pk}, _living({board.pk}), wait_for_expiry)


def invalidate_readers(period: Period, wait_for_expiry: bool = False) -> None:
    """The period has changed, or Redis may lack something of it; ``wait_for_expiry`` likewise."""
    if period.board.storage != Storage.SQL:
        _tell((), {period.family}, wait_for_expiry)


def invalidate_readers_of_competitions(board: Board | None) -> None:
    """Others than before are shown in the competitions on the board (on all boards without one)."""
    if board is None or (board.is_event and board.storage != Storage.SQL):
        of_events = Period.objects.filter(
            board__period=PeriodKind.EVENT, state__in=(PeriodState.OPEN, PeriodState.CLOSING)
        )
        _tell((), _families(of_events if board is None else of_events.filter(board=board)))


def _tell(boards: Collection[int], periods: Collection[PeriodKeyFamily], wait_for_expiry: bool = False) -> None:
    told = next((each[1] for each in connection.run_on_commit if isinstance(each[1], _News)), None)
    news = told or _News()
    news.boards.update(boards)
    news.periods.update(periods)
    news.wait_for_expiry |= wait_for_expiry
    if told is None:
        transaction.on_commit(news)


def _living(boards: Collection[int]) -> set[PeriodKeyFamily]:
    """The periods of these boards that are read from Redis."""
    return _families(Period.objects.filter(board__in=boards, state__in=(PeriodState.OPEN, PeriodState.CLOSING)))


def _families(periods: Iterable[Period]) -> set[PeriodKeyFamily]:
    return {period.family for period in periods}
