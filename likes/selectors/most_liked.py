"""The things of a kind that were liked most on a UTC day, counted from the likes themselves as SQL has committed them.

A like counts on the day on which it was given, once for each player, and leaves it when it is taken back. Nothing
keeps a number of its own beside the rows, so there is nothing that could differ from them (decision 0036). Each
process counts a day about once a second. The trap: of a kind that Redis decides over, SQL is a second behind.
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
_STANDS = RawSQL("amount > 0", (), BooleanField())  # in the index's own words: SQLite cannot tell it of a parameter
DAYS_KEPT = 64  # kinds times days that are asked for at the same time


@dataclass(frozen=True, slots=True)
class MostLiked:
    """A thing, and how many players gave it a like on the day that still stands."""

    thing: str
    likes: int


def most_liked(kind: str, day: date, limit: int) -> list[MostLiked]:
    """The first things of the day, at most ``limit`` and 1,000; of equals the one whose id is greater in bytes.

    As of the last second, or of the last three while somebody counts anew; of now inside a transaction. Raises
    ``SqlAway``.
    """
    return _lately.get_or_compute((kind, day), lambda: ask(lambda: _counted(kind, day)))[:limit]


def clear_most_liked_cache() -> None:
    """Count anew when next asked."""
    _lately.forget()


def ranking(kind: str, day: date) -> QuerySet[Any, Any]:
    """The question: in the order of the index ``like_of_day`` likes of one thing are together."""
    given = Like.objects.filter(_STANDS, kind=kind, day=day)
    return given.values("thing").annotate(likes=Count("*")).order_by("-likes", "-thing")[:RANKED_AT_MOST]


def _counted(kind: str, day: date) -> list[MostLiked]:
    return [MostLiked(row["thing"], row["likes"]) for row in ranking(kind, day)]


_lately: MicroCache[tuple[str, date], list[MostLiked]] = MicroCache(DAYS_KEPT)
