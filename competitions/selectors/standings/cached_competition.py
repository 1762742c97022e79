"""A competition as it is remembered, for who has Redis compare the edition of its period
(``selectors/catalog/cache_versions.py``).

Only while it runs and nothing is hidden: what the clock turns is judged by the clock at each read. The trap: clocks
differ, so near a freeze SQL is asked whether somebody has frozen it already.
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

_counted: MicroCache[tuple[int, str, int], int | None] = MicroCache(MOST_COUNTED)


def cached_competition(number: int, at: datetime) -> Competition | None:
    """The competition as it is remembered, if that is no older than a moment and it runs before everybody's eyes."""
    kept = competition_cache.peek(number, MAX_READ_STALENESS_SECONDS)
    if kept is None or not _is_steady(kept.answer, at):
        return None
    own = copy(kept.answer)
    own.board = copy(own.board)
    own.board.cached_since = kept.since
    return own


def period_in_redis(competition: Competition) -> Period:
    """What names its period in Redis, without asking SQL for its row."""
    period = copy(_named(competition.board_id, competition.label))
    period.board = competition.board
    return period


def cached_not_started(competition: Competition, at: datetime, total: int) -> int | None:
    """How many have not started, for an answer that shows ``total`` who have. None where a freeze hides all.

    Beside an answer whose edition Redis has compared it is counted anew only where that, or the total, is another.
    """
    if competition.board.cached_since is None:
        return not_started(competition, at, limit=0).total
    edition = known_version(_named(competition.board_id, competition.label))
    if edition is None:
        return not_started(competition, at, limit=0).total
    key = (competition.pk, edition.edition, total)
    known = _counted.get_fresh(key)
    if known is None:
        begun = clock.monotonic()
        known = not_started(competition, at, limit=0).total
        _counted.put(key, known, begun)
    return known


def _is_steady(competition: Competition, at: datetime) -> bool:
    return competition.phase(at) is Phase.RUNNING and not competition.is_hidden(at + CLOCKS_DIFFER)


@lru_cache(maxsize=1024)
def _named(board: int, label: str) -> Period:
    return Period(board_id=board, label=label)
