"""Register an unknown Redis server in SQL, once every row of which it may have data got a new generation.

Until then every process treats the server as away. Apps add the sources of their rows.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from foundation.errors import Unavailable
from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisClient, RedisSilent
from foundation.sync.resync_together import assign_each_or_fence
from foundation.sync.resyncing import Resync

logger = logging.getLogger(__name__)

HasKey = Callable[[str], bool]
ResyncSource = Callable[[HasKey], Iterable[Resync[Any]]]
_sources: list[ResyncSource] = []


def register_resync_source(source: ResyncSource) -> None:
    """Add a source of rows that must be resynced when Redis is an unknown server. Adding it twice changes nothing.

    It returns those whose key is at that server, as the function that it is given says.
    """
    if source not in _sources:
        _sources.append(source)


def register_server() -> None:
    """Register in SQL each Redis server that it does not know, after every row of that server got a new generation.

    Of the servers of a cluster one that is away delays no other; raises its error if none answers.
    """
    errors, servers = list[Unavailable](), redis.resync_client().each_server()
    for server in servers:
        try:
            _register(server)
        except (RedisAway, RedisSilent) as error:
            errors.append(error)
            logger.info("%s is not registered now: %s", server.label, error.detail)
    if len(errors) == len(servers):
        raise errors[0]


def _is_at(server: RedisClient, key: str) -> bool:
    """Whether this server of a deployment (one of ``each_server``) has the key; False if none has it now."""
    try:
        return redis.resync_client().server_of(key) is server
    except RedisAway:
        return False


def _register(server: RedisClient) -> None:
    """Register one server.

    An unknown server's memory is assessed row by row. A row that cannot be assessed now is fenced and resynced later;
    it does not delay the others. If a row's state changes meanwhile, the next run begins again.
    """
    identity = server.fetch_identity()
    if KnownRedis.is_known(identity):
        return
    for source in _sources:
        assigned = assign_each_or_fence(source(partial(_is_at, server)))
        if not all(resync.install_generation_or_fence(assessed) for resync, assessed in assigned):
            return
    if server.fetch_identity() == identity:
        KnownRedis.objects.get_or_create(identity=identity)
        logger.info("another Redis is known now, or one that was made a primary")
