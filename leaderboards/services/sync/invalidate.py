"""Make readers of a board, in all processes, ask SQL again (``selectors/catalog/cache_versions.py``).

Call it in the transaction that changes what readers see. After the commit, and before the change is acknowledged, one
command drops the cache versions of everything that the transaction changed. If the process dies in between, nothing was
acknowledged, and the caches expire after a second. Before that it notes what may have been hidden, for readers that
cannot ask SQL then (``stores/redis/noted_changes.py``).
"""

import logging
import time
from collections.abc import Collection, Iterable

from django.db import connection, transaction

from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from leaderboards.core import keys
from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.core.periods import PeriodKind
from leaderboards.models import ACTIVE_STATES, Board, Period, Storage
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS
from leaderboards.stores.redis.cache_versions import drop_cache_versions
from leaderboards.stores.redis.noted_changes import note_changes

logger = logging.getLogger(__name__)


class _Invalidation:
    """What to invalidate after the commit of the transaction; one ``on_commit`` callback per transaction."""

    def __init__(self) -> None:
        self.boards: set[int] = set()
        self.periods: set[PeriodKeyFamily] = set()
        self.hidden: set[str] = set()
        self.wait_for_expiry = self.becomes_private = False

    def __call__(self) -> None:
        """Drop the cache versions. Periods may have opened before the commit, so they are read again."""
        must_wait = not self._drop() and self.wait_for_expiry
        if must_wait or self.becomes_private:
            time.sleep(MAX_READ_STALENESS_SECONDS)

    def _drop(self) -> bool:
        """Whether all readers that ask Redis know of the change now."""
        periods = self.periods | _active_families(self.boards)
        failpoint("readers.before_told")
        if not periods:
            return True  # nobody reads anything of it from Redis
        noted = {keys.board(seq) for seq in self.boards} | self.hidden
        try:
            note_changes(redis.boards(), noted)
            drop_cache_versions(redis.boards(), periods)
        except Unavailable as error:
            logger.info("readers hear within %s s of what has changed: %s", MAX_READ_STALENESS_SECONDS, error.detail)
            return False
        return True


def invalidate_readers_of(board: Board, wait_for_expiry: bool = False) -> None:
    """Invalidate the readers of a changed board.

    With ``wait_for_expiry``, if Redis cannot be reached, the commit waits until all caches have expired.
    """
    if board.storage != Storage.SQL:
        _invalidate_on_commit({board.pk}, _active_families({board.pk}), wait_for_expiry)


def outlast_recent_answers() -> None:
    """Have the commit wait until callers who allow a second get no answer of before any more (decision 0111)."""
    _invalidate_on_commit((), (), becomes_private=True)


def invalidate_readers(period: Period, wait_for_expiry: bool = False, hides: bool = False) -> None:
    """Invalidate the readers of a period that has changed, or of which Redis may lack something.

    ``hides``: what its competition shows may be hidden from now on.
    """
    if period.board.storage != Storage.SQL:
        _invalidate_on_commit((), {period.family}, wait_for_expiry, {period.family.zset} if hides else ())


def invalidate_readers_of_competitions(board: Board | None) -> None:
    """Invalidate the readers of the competitions on the board (None: on all boards): other players are shown now."""
    if board is None or (board.is_event and board.storage != Storage.SQL):
        of_events = Period.objects.filter(board__period=PeriodKind.EVENT, state__in=ACTIVE_STATES)
        _invalidate_on_commit((), _families(of_events if board is None else of_events.filter(board=board)))


def _invalidate_on_commit(
    boards: Collection[int],
    periods: Collection[PeriodKeyFamily],
    wait_for_expiry: bool = False,
    hidden: Collection[str] = (),
    becomes_private: bool = False,
) -> None:
    callbacks = (callback for _, callback, *_ in connection.run_on_commit)
    existing = next((each for each in callbacks if isinstance(each, _Invalidation)), None)
    invalidation = existing or _Invalidation()
    invalidation.boards.update(boards)
    invalidation.periods.update(periods)
    invalidation.hidden.update(hidden)
    invalidation.wait_for_expiry |= wait_for_expiry
    invalidation.becomes_private |= becomes_private
    if existing is None:
        transaction.on_commit(invalidation)


def _active_families(boards: Collection[int]) -> set[PeriodKeyFamily]:
    """The key families of the boards' periods that are read from Redis."""
    return _families(Period.objects.filter(board__in=boards, state__in=ACTIVE_STATES))


def _families(periods: Iterable[Period]) -> set[PeriodKeyFamily]:
    return {period.family for period in periods}
