"""A cached competition, for reads that let Redis compare the cache version of its period
(``selectors/catalog/cache_versions.py``).

It is used only while the competition runs and nothing is hidden; its phase is computed at each read. The trap: clocks
differ between servers, so shortly before a freeze the competition is read from SQL, which knows whether it is frozen.
"""

from copy import copy
from datetime import datetime, timedelta
from functools import lru_cache

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.competitions import competition_cache
from competitions.selectors.participants.participants import not_started
from foundation import clock
from foundation.caching.micro_cache import MicroCache
from leaderboards.models import Period
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS, known_version

CLOCKS_DIFFER = timedelta(seconds=10)
MOST_COUNTED = 10_000

_counts: MicroCache[tuple[int, str, int], int | None] = MicroCache(MOST_COUNTED)


def cached_competition(number: int, at: datetime) -> Competition | None:
    """Return the cached competition if it is fresh, running and not about to freeze; otherwise None."""
    cached = competition_cache.peek(number, MAX_READ_STALENESS_SECONDS)
    if cached is None or not _is_steady(cached.answer, at):
        return None
    own = copy(cached.answer)
    own.board = copy(own.board)
    own.board.cached_since = cached.since
    return own


def period_in_redis(competition: Competition) -> Period:
    """Return a period object that names its keys in Redis, without reading its row from SQL."""
    period = copy(_unsaved_period(competition.board_id, competition.label))
    period.board = competition.board
    return period


def cached_not_started(competition: Competition, at: datetime, total: int) -> int | None:
    """Count the participants without a score, for an answer with ``total`` ranked players; None if a freeze hides all.

    If Redis has compared the cache version of the answer, the count is cached for that version and that total.
    """
    if competition.board.cached_since is None:
        return not_started(competition, at, limit=0).total
    known = known_version(_unsaved_period(competition.board_id, competition.label))
    if known is None:
        return not_started(competition, at, limit=0).total
    key = (competition.pk, known.version, total)
    count = _counts.get_fresh(key)
    if count is None:
        begun = clock.monotonic()
        count = not_started(competition, at, limit=0).total
        _counts.put(key, count, begun)
    return count


def _is_steady(competition: Competition, at: datetime) -> bool:
    return competition.phase(at) is Phase.RUNNING and not competition.is_hidden(at + CLOCKS_DIFFER)


@lru_cache(maxsize=1024)
def _unsaved_period(board: int, label: str) -> Period:
    return Period(board_id=board, label=label)
