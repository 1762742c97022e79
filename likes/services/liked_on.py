"""The ranking of a day's likes, told of every like that was given or taken back: beside the likes, never in their way.

A like counts on the UTC day on which it was given, and taken back it leaves that day. While Redis is away nothing is
told; a ranking that missed something is dropped, and made from SQL by the next who reads it.
"""

import logging
from datetime import date, datetime, timedelta

from foundation import redis
from foundation.errors import Unavailable
from likes.core.activity import day_of
from likes.registry import every
from likes.stores.liked_on import LikedOn

logger = logging.getLogger(__name__)

_missed: set[tuple[str, date]] = set()


def note(kind: str, thing: str, given_at: datetime, change: int) -> None:
    """A like that was given then is there from now on (``change`` 1), or no more (-1). Never raises for Redis."""
    day = day_of(given_at)
    ranking = LikedOn(redis.boards(), kind, day)
    try:
        if (kind, day) in _missed:
            ranking.drop()
            _missed.discard((kind, day))
        else:
            ranking.note(thing, change)
    except Unavailable as error:
        _missed.add((kind, day))
        logger.debug("the ranking of %s %s misses a like: %s", kind, day, error.detail)


def open_tomorrow(at: datetime) -> None:
    """Have an empty ranking of each kind for the coming day: nothing is all of it. Raises what the link raises."""
    for likeable in every():
        LikedOn(redis.boards(), likeable.kind, day_of(at) + timedelta(days=1)).install({})
