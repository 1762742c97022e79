"""Fixtures for tests that speak to the boards' Redis: import them in a folder's conftest."""

import pytest

from foundation import redis
from foundation.models import KnownRedis


@pytest.fixture
def links() -> None:
    """The process as it starts: nobody greeted, nothing pooled, no breaker open."""
    redis.boards().reset()
    redis.settling().reset()
    KnownRedis._seen.clear()
