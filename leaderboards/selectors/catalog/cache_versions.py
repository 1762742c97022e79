"""Editions: how a reader knows without asking SQL that a board and its period are still as they were read.

Redis keeps an edition beside each living period. Who changes what readers see of it has Redis drop the edition, once
that is committed and before it is acknowledged (``services/sync/invalidate.py``); who misses one draws the next. The
order:
first the edition is heard, then SQL is asked, then the reading script compares. So of rows that were asked for after
an edition was heard it says, while it stands, that nothing acknowledged is missing in them.

The trap: where Redis does not hear of a change, only their age ends what is remembered: a moment.
"""

import logging
from typing import NamedTuple

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import Board, Period, PeriodState, Storage
from leaderboards.stores.redis.cache_versions import fetch_cache_version

logger = logging.getLogger(__name__)

MAX_READ_STALENESS_SECONDS = 1.0  # as long as it may take until somebody who is hidden is left out
MOST_HEARD = 10_000


class KnownVersion(NamedTuple):
    """An edition, and when Redis had told it (monotonic seconds)."""

    edition: str
    at: float


_heard: dict[str, KnownVersion] = {}


def known_version(period: Period) -> KnownVersion | None:
    """The edition that this process heard of last."""
    return _heard.get(period.family.zset)


def fetch_version(period: Period) -> None:
    """Ask Redis for the present edition: SQL is to be asked after that. Nothing is heard of a Redis that is away."""
    name = period.family.zset
    _heard.pop(name, None)
    try:
        present = fetch_cache_version(redis.boards(), period)
    except Unavailable as error:
        logger.info("the edition of period %s is not known: %s", period.pk, error.detail)
        return
    if len(_heard) >= MOST_HEARD:
        _heard.clear()
    if present:
        _heard[name] = KnownVersion(present, clock.monotonic())


def has_cache_version(board: Board, period: Period) -> bool:
    """Whether a period of the board is read from Redis while it lives, as far as their rows tell. The trap: a
    remembered row has no board, and would ask SQL for one."""
    in_redis = board.storage != Storage.SQL and period.stale_since is None
    return in_redis and period.state in (PeriodState.OPEN, PeriodState.CLOSING)


def clear_known_versions() -> None:
    """Start anew."""
    _heard.clear()
