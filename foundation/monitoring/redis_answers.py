"""Which servers of the boards' Redis answer, and which of them this process does not use: SQL does not know them yet.

A server is registered in SQL by the worker's resync. Until then requests treat it as unreachable; an operator must be
told that it answers, and that the worker is what is missing.
"""

from collections.abc import Mapping
from typing import NamedTuple

from django.db import Error as SqlError

from foundation.errors import Unavailable
from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.redis.info import identity_of, read_info


class Answer(NamedTuple):
    """What one server answered: its memory (None if nothing), and whether requests use it, or SQL lacks it."""

    label: str
    memory: Mapping[str, str] | None
    is_used: bool = True
    is_unknown: bool = False


def ask_each() -> list[Answer]:
    """Ask every server for its memory. Raises ``RedisAway`` if nobody tells which servers there are."""
    return [_ask(server) for server in redis.boards().each_server()]


def _ask(server: redis.RedisClient) -> Answer:
    try:
        return Answer(server.label, server.call("INFO", "memory", read=read_info))
    except (Unavailable, SqlError):
        pass  # perhaps it answers somebody who trusts any server
    try:
        for other in redis.asking_client().each_server():
            if other.label == server.label:
                info = other.call("INFO", read=read_info)
                identity = identity_of(info)  # a replica has none
                return Answer(server.label, info, False, bool(identity) and not KnownRedis.is_known(identity))
    except (Unavailable, SqlError):
        pass  # then it is away
    return Answer(server.label, None, False)
