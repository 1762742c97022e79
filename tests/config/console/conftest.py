"""A process that has just started, and a Redis that SQL knows."""

import pytest

from foundation import redis
from foundation.models import KnownRedis
from foundation.sync.settling import greet


@pytest.fixture
def links(db: None) -> None:
    for link in (redis.boards(), redis.settling(), redis.alone()):
        link.reset()
    KnownRedis._seen.clear()
    greet()
