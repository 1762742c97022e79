"""A hybrid kind of things to like, its store and its views."""

from collections.abc import Iterator

import pytest

from foundation import redis
from leaderboards.stores.sql_writes import ensure_players
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.stores.hybrid import HybridStore
from likes.stores.views import Views
from tests.contracts.likes.kinds import NOW, registered
from tests.links import redis_known

__all__ = ["redis_known"]


@pytest.fixture
def kind(redis_known: None) -> Iterator[Likeable]:
    ensure_players(["ann", "bob", "cy"], NOW)
    with registered((Storage.HYBRID, 10)) as likeable:
        yield likeable


@pytest.fixture
def store(kind: Likeable) -> HybridStore:
    return HybridStore(kind)


@pytest.fixture
def views(kind: Likeable) -> Views:
    return Views(kind.kind, redis.boards())
