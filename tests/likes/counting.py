"""What tests of counting begin with: a Redis that SQL knows, visits, and what Redis and SQL have of them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import redis as driver
from django.conf import settings
from django.db.models import Sum

from foundation import clock, redis
from leaderboards.services.settle import settle_due
from likes.models import HitsFlush, PageHits
from likes.services import liked_on, visit
from likes.services.flush import flush_hits
from likes.stores.activity import ActivityStore, Visit

NOON = datetime(2026, 1, 19, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def store(links: None) -> Iterator[ActivityStore]:
    """A store whose Redis SQL knows; nothing remembered of earlier tests."""
    settle_due(clock.now())
    visit.numbers.forget()
    liked_on._missed.clear()
    yield ActivityStore(redis.boards())
    visit.numbers.forget()


def client() -> driver.Redis:
    """A way to the boards' Redis past the product."""
    return driver.Redis.from_url(settings.REDIS_URL)


def visits(store: ActivityStore, count: int, page: str = "home", at: datetime = NOON) -> None:
    """So many views of a page, each by somebody else."""
    for nth in range(count):
        store.visit(Visit(page, f"visitor {nth}", nth), at)


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
