"""A process that has just started, and a Redis that SQL knows."""

import pytest

from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.sync.registering import register_server


@pytest.fixture
def links(db: None) -> None:
    for link in (redis.boards(), redis.resync_client(), redis.exclusive_client()):
        link.reset()
    KnownRedis._seen.clear()
    register_server()
