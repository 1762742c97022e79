"""Visits, and what Redis and SQL have of them."""

from datetime import UTC, datetime, timedelta

import redis as driver
from django.db.models import Sum

from foundation.redis import client as redis
from likes.models import HitsFlush, PageHits
from likes.services.flush import flush_hits
from likes.stores.activity import ActivityStore, Visit
from tests.raw import boards_redis

NOON = datetime(2026, 1, 19, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def client() -> driver.Redis:
    """A way to the boards' Redis past the product."""
    return boards_redis()


def visit(page: str, visitor: str, number: int | None = None, at: datetime = NOON) -> None:
    """One view of a page, by a player of this number, or a guest."""
    ActivityStore(redis.boards()).visit(Visit(page, visitor, number), at)


def visits(count: int, page: str = "home", at: datetime = NOON) -> None:
    """So many views of a page, each by somebody else."""
    for nth in range(count):
        visit(page, f"visitor {nth}", nth, at)


def in_sql() -> dict[str, int]:
    """The hits that SQL has, by page, of all days."""
    return dict(PageHits.objects.values_list("page").annotate(Sum("count")))


def flush_all(at: datetime) -> int:
    """Flush until nothing is on its way; how many hits were counted."""
    counted, run = 0, at
    while True:
        counted += flush_hits(run)
        run += MINUTE
        if not HitsFlush.objects.exists():
            return counted
