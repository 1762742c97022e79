"""The most liked things of a kind on a UTC day, counted from the committed rows in SQL.

A like counts once for each player, on the day on which it was given, until it is taken back. No separate count is
stored that could differ from the rows (decision 0036). Each process counts a day about once a second. The trap: for
kinds that Redis decides, SQL is a second behind.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import BooleanField, Count, QuerySet
from django.db.models.expressions import RawSQL

from foundation.caching.micro_cache import MicroCache
from foundation.db.resilience import ask
from likes.models import Like

RANKED_AT_MOST = 1_000
# As in the index's condition: with a parameter SQLite would not use the partial index.
_IS_GIVEN = RawSQL("amount > 0", (), BooleanField())
DAYS_KEPT = 64  # cached pairs of kind and day


@dataclass(frozen=True, slots=True)
class MostLiked:
    """A thing, and how many players gave it a like on the day and did not take it back."""

    thing: str
    likes: int


def most_liked(kind: str, day: date, limit: int) -> list[MostLiked]:
    """The most liked things of the day, at most ``limit`` and 1,000; on a tie the greater id in bytes comes first.

    The result is up to a second old, or three while it is recomputed; inside a transaction it is current. Raises
    ``SqlAway``.
    """
    return _cached.get_or_compute((kind, day), lambda: ask(lambda: _count_likes(kind, day)))[:limit]


def clear_most_liked_cache() -> None:
    """Clear the cache."""
    _cached.forget()


def ranking(kind: str, day: date) -> QuerySet[Any, Any]:
    """The query; the index ``like_of_day`` groups likes of one thing."""
    given = Like.objects.filter(_IS_GIVEN, kind=kind, day=day)
    return given.values("thing").annotate(likes=Count("*")).order_by("-likes", "-thing")[:RANKED_AT_MOST]


def _count_likes(kind: str, day: date) -> list[MostLiked]:
    return [MostLiked(row["thing"], row["likes"]) for row in ranking(kind, day)]


_cached: MicroCache[tuple[str, date], list[MostLiked]] = MicroCache(DAYS_KEPT)
