"""Fixtures for tests that speak to the boards' Redis: import them in a folder's conftest."""

import pytest

from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.sync.registering import register_server

CLIENTS = [redis.boards, redis.resync_client, redis.asking_client, redis.partitions_client, redis.exclusive_client]


def forget_links() -> None:
    """As the process starts: nobody greeted, nothing pooled, no breaker open."""
    for client in CLIENTS:
        client().reset()
    KnownRedis._seen.clear()


@pytest.fixture
def links() -> None:
    """The process as it starts."""
    forget_links()


@pytest.fixture
def redis_known(transactional_db: None, links: None) -> None:
    """As after the worker's first second: SQL knows the server."""
    register_server()
