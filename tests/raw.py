"""The boards' Redis as tests look at it, behind the back of the product: one server, or a cluster."""

from typing import Any

import pytest
import redis
from django.conf import settings
from redis.cluster import ClusterNode, RedisCluster

from foundation.redis.addresses import CLUSTER, kind_of, read_many


def boards_redis() -> redis.Redis:
    """A client of redis-py, to be closed; in a cluster it finds the node of each key itself."""
    if not is_cluster():
        return redis.Redis.from_url(settings.REDIS_URL)
    nodes = [ClusterNode(*host) for host in read_many(settings.REDIS_URL).hosts]
    found: Any = RedisCluster(startup_nodes=nodes)  # it has the same commands
    return found  # type: ignore[no-any-return]  # a cluster's client is of another class


def each_node() -> list[redis.Redis]:
    """A client for each server that has boards."""
    if not is_cluster():
        return [redis.Redis.from_url(settings.REDIS_URL)]
    return [redis.Redis(host=host, port=port) for host, port in read_many(settings.REDIS_URL).hosts]


def empty_boards() -> None:
    """Let the boards' Redis lose its memory."""
    for node in each_node():
        with node:
            node.flushdb()


def all_keys(pattern: str = "*") -> list[bytes]:
    """The keys of all servers that match."""
    found = list[bytes]()
    for node in each_node():
        with node:
            found += [key if isinstance(key, bytes) else key.encode() for key in node.keys(pattern)]
    return found


def is_cluster() -> bool:
    """Whether these tests run on a cluster (TEST_REDIS=cluster)."""
    return kind_of(settings.REDIS_URL) == CLUSTER


ONE_SERVER = pytest.mark.skipif(is_cluster(), reason="it looks at one server")
