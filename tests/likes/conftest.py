"""A kind of things to like, in the storage that a test names; and counting of visits as it begins."""

from collections.abc import Iterator

import pytest

from foundation import clock
from foundation.redis import client as redis
from leaderboards.services.sync.resync_periods import resync_due
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.services import visit
from likes.stores.activity import ActivityStore
from likes.stores.base import Store
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import registered
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]


@pytest.fixture
def storage() -> Storage:
    """Hybrid, where a test names no other."""
    return Storage.HYBRID


@pytest.fixture
def repeatable() -> bool:
    """Liked once, where a test does not say otherwise."""
    return False


@pytest.fixture
def kind(redis_known: None, storage: Storage, repeatable: bool) -> Iterator[Likeable]:
    with registered(storage, repeatable=repeatable) as likeable:
        yield likeable


@pytest.fixture
def store(kind: Likeable) -> Store:
    return store_of(kind)


@pytest.fixture
def activity(links: None) -> Iterator[ActivityStore]:
    """A store of visits whose Redis SQL knows; nothing remembered of earlier tests."""
    resync_due(clock.now())
    visit.player_numbers.forget()
    yield ActivityStore(redis.boards())
    visit.player_numbers.forget()
