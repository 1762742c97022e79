"""Fixtures for tests that speak to the boards' Redis: import them in a folder's conftest."""

import pytest

from foundation import redis
from foundation.models import KnownRedis
from foundation.sync.settling import greet


@pytest.fixture
def links() -> None:
    """The process as it starts: nobody greeted, nothing pooled, no breaker open."""
    redis.boards().reset()
    redis.settling().reset()
    redis.alone().reset()
    KnownRedis._seen.clear()


@pytest.fixture
def redis_known(transactional_db: None, links: None) -> None:
    """As after the worker's first second: SQL knows the server."""
    greet()
