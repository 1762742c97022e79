"""The things of a kind that were liked most on a day. A ranking that Redis lost is made from SQL by who reads first.

The trap: a like given in the very moment in which it is made may be missing from it; the likes themselves never are.
"""

import logging
import secrets
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count

from foundation import redis
from foundation.errors import Unavailable
from likes.models import Like
from likes.stores.liked_on import LikedOn

logger = logging.getLogger(__name__)

RANKED_AT_MOST = 1_000


@dataclass(frozen=True, slots=True)
class MostLiked:
    """A thing, and how many likes that it has were given on the day."""

    thing: str
    likes: int


def most_liked(kind: str, day: date, limit: int) -> list[MostLiked]:
    """The first of them, at most ``limit``; of the last eight UTC days. Nothing while Redis is away."""
    ranking = LikedOn(redis.boards(), kind, day)
    try:
        found = ranking.top(limit)
        if found is None:
            found = _made(ranking, kind, day, limit)
    except Unavailable as error:
        logger.info("what was liked most is not known now: %s", error.detail)
        return []
    return [MostLiked(*row) for row in found]


def _made(ranking: LikedOn, kind: str, day: date, limit: int) -> list[tuple[str, int]]:
    """Made by one at a time; the others see nothing meanwhile."""
    token = secrets.token_hex(8)
    if not ranking.lease(token):
        return []
    ranking.install(_in_sql(kind, day), token)
    return ranking.top(limit) or []


def _in_sql(kind: str, day: date) -> dict[str, int]:
    """Players whose like of the day stands; of a repeatable kind each counts once."""
    begin = datetime.combine(day, time.min, UTC)
    given = Like.objects.filter(kind=kind, amount__gt=0, at__gte=begin, at__lt=begin + timedelta(days=1))
    rows = given.values("thing").annotate(likes=Count("pk")).order_by("-likes", "thing")[:RANKED_AT_MOST]
    return {row["thing"]: row["likes"] for row in rows}
