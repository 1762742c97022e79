"""The client of the boards' Redis: short time-outs, no retries, and for each server a breaker, a clock and an identity.

``server.py`` says what may happen to a call at one server; ``topology.py`` finds the server that has a key. The trap:
commands and scripts name their keys, and all keys of one call are on one server, as those of a family are.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django_redis import get_redis_connection
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.retry import Retry

from foundation.conf import is_cluster, redis_address
from foundation.errors import Unavailable
from foundation.redis.addresses import CLUSTER, kind_of
from foundation.redis.cluster import Cluster
from foundation.redis.commands import IDENTITY_ARG, Argument
from foundation.redis.errors import RedisAway, RedisRefused, RedisSilent, ScriptMissing, UnknownRedis
from foundation.redis.lua import Script
from foundation.redis.sentinel import pool_of
from foundation.redis.server import IsKnown, Server
from foundation.redis.topology import OneServer, Topology

__all__ = [
    "IDENTITY_ARG",
    "Argument",
    "RedisAway",
    "RedisClient",
    "RedisRefused",
    "RedisSilent",
    "ScriptCall",
    "UnknownRedis",
    "asking_client",
    "boards",
    "client_at",
    "exclusive_client",
    "partitions_client",
    "resync_client",
    "values_by_key",
]

RESYNC_TIMEOUT_SECONDS = 10.0
ASKING_TIMEOUT_SECONDS = 0.25
PARTITIONS_TIMEOUT_SECONDS = 0.15  # for all servers together: the others' answers are shown without the silent one's
EXCLUSIVE_TIMEOUT_SECONDS = 0.1  # three in a row are less than ``SQL_ALONE_SECONDS``


class ScriptCall(NamedTuple):
    """A script with its keys and arguments. Calls that ``RedisClient.run_many`` sends together must be independent."""

    script: Script
    keys: Sequence[str]
    args: Sequence[Argument] = ()


class RedisClient:
    """Sends commands and scripts to the servers of a deployment, or to the one behind a pool.

    ``is_known`` is that of ``Server``, for a pool.
    """

    def __init__(self, servers: Topology | ConnectionPool, is_known: IsKnown | None = None) -> None:
        self._topology: Topology = (
            OneServer(Server(servers, is_known)) if isinstance(servers, ConnectionPool) else servers
        )
        self._clients: dict[Server, RedisClient] = {}

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer, in ms."""
        return self._topology.timeout_ms

    def deadline_ms(self, key: str, since: float | None = None) -> int:
        """The time on the clock of the key's server after which a write sent now must not take effect.

        ``since`` is a past moment (monotonic seconds) to count from instead of now.
        """
        return self._topology.server_of(key).deadline_ms(since)

    def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> Any:
        """Run ``script`` once. Raises ``RedisAway``, ``RedisSilent`` or ``RedisRefused``."""
        return self.run_many([ScriptCall(script, keys, args)])[0]

    def run_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        """Run many scripts once each in one round trip to each server; return their answers.

        Raises ``RedisAway``, ``RedisSilent``, or the first ``RedisRefused``: the other scripts have run then.
        """
        return [_raise_if_refused(answer) for answer in self.try_many(calls)]

    def try_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        """As ``run_many``, but a ``RedisRefused`` is returned in place of its answer. Raises the other two.

        Of several servers those that fail have their errors in place of their answers; they are raised if all fail.
        """
        answers = self._exchange([_evalsha_command(call) for call in calls])
        missing = [index for index, answer in enumerate(answers) if isinstance(answer, ScriptMissing)]
        if missing:
            resent = self._exchange([_eval_command(calls[index]) for index in missing])
            for index, answer in zip(missing, resent, strict=True):
                answers[index] = answer
        return answers

    def call(self, *command: Argument, read: Callable[[Any], Any] | None = None) -> Any:
        """Send one command once. Raises ``RedisAway``, ``RedisSilent`` or ``RedisRefused``."""
        answer = _raise_if_refused(self._exchange([command])[0])
        return read(answer) if read else answer

    def pipeline(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send many commands once each in one round trip; return their answers. Raises as ``run_many`` does."""
        return [_raise_if_refused(answer) for answer in self._exchange(commands)]

    def groups(self, keys: Sequence[str]) -> list[list[str]]:
        """The keys in groups that one command may name together: all of them, unless this is a cluster."""
        return self._topology.groups(keys)

    def each_server(self) -> "list[RedisClient]":
        """A client for each server that takes writes. Raises ``RedisAway`` if nobody tells which they are."""
        return [self._client_of(server) for server in self._topology.servers()]

    def server_of(self, key: str) -> "RedisClient":
        """The client of the server that has ``key``; the same one as in ``each_server``. Raises ``RedisAway``."""
        return self._client_of(self._topology.server_of(key))

    @property
    def topology(self) -> Topology:
        """The servers behind this client."""
        return self._topology

    def missing_slots(self) -> int:
        """How many slots of a cluster no server has; 0 unless this is one. Raises as ``each_server`` does."""
        self._topology.servers()
        return self._topology.missing()

    @property
    def name(self) -> str:
        """The address of the server, or of the servers."""
        return ", ".join(server.name for server in self._topology.servers())

    @property
    def label(self) -> str:
        """What operators read of the one server of this client: "Redis", with the address where one is needed."""
        return self._topology.servers()[0].label

    def fetch_identity(self) -> str:
        """Read the identity of the one server of this client over a new connection. Raises ``RedisAway``."""
        [server] = self._topology.servers()
        return server.fetch_identity()

    def reset(self) -> None:
        """Drop all connections and close the breakers: the next call connects anew."""
        self._topology.reset()

    def _exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send the commands in one write to each server; refusals are in the answers. Raises the other errors."""
        return self._topology.exchange(commands) if commands else []

    def _client_of(self, server: Server) -> "RedisClient":
        if isinstance(self._topology, OneServer):
            return self
        return self._clients.setdefault(server, RedisClient(OneServer(server)))


def _raise_if_refused(answer: Any) -> Any:
    """The answer, or raise what stands in its place."""
    if isinstance(answer, Unavailable):
        raise answer
    return answer


def values_by_key(groups: Sequence[Sequence[str]], replies: Sequence[Any]) -> dict[str, Any]:
    """The values by key, from the replies to a MGET of each group."""
    return {
        key: value
        for group, values in zip(groups, replies, strict=False)
        for key, value in zip(group, values, strict=True)
    }


def _evalsha_command(call: ScriptCall) -> list[Argument]:
    return ["EVALSHA", call.script.digest, len(call.keys), *call.keys, *call.args]


def _eval_command(call: ScriptCall) -> list[Argument]:
    return ["EVAL", call.script.text, len(call.keys), *call.keys, *call.args]


@cache
def boards() -> RedisClient:
    """The client of requests and workers. A server that is not in ``KnownRedis`` counts as unreachable."""
    from foundation.models import KnownRedis

    if is_cluster():
        options = settings.CACHES["boards"]["OPTIONS"]["CONNECTION_POOL_KWARGS"]
        return RedisClient(Cluster(redis_address("boards"), KnownRedis.is_known, **options))
    return RedisClient(get_redis_connection("boards").connection_pool, KnownRedis.is_known)


@cache
def resync_client() -> RedisClient:
    """The client of resyncs: it trusts any server, and waits up to ``RESYNC_TIMEOUT_SECONDS`` for an answer."""
    return _made(RESYNC_TIMEOUT_SECONDS, 1.0)


@cache
def asking_client() -> RedisClient:
    """The client that asks how a server is, also one that SQL does not know; it changes nothing there."""
    return _made(ASKING_TIMEOUT_SECONDS, ASKING_TIMEOUT_SECONDS)


@cache
def partitions_client() -> RedisClient:
    """The client that reads divided boards: no server is waited for longer than ``PARTITIONS_TIMEOUT_SECONDS``."""
    from foundation.models import KnownRedis

    return _made(PARTITIONS_TIMEOUT_SECONDS, PARTITIONS_TIMEOUT_SECONDS, KnownRedis.is_known)


@cache
def exclusive_client() -> RedisClient:
    """The client for callers that hold an exclusive SQL lock.

    Its time-out is short enough that PostgreSQL does not end their transaction for being idle.
    """
    from foundation.models import KnownRedis

    return _made(EXCLUSIVE_TIMEOUT_SECONDS, EXCLUSIVE_TIMEOUT_SECONDS, KnownRedis.is_known)


def client_at(alias: str, is_known: IsKnown | None = None, **options: Any) -> RedisClient:
    """A client of the Redis of an entry of ``CACHES``, with these options of redis-py's connections."""
    url = redis_address(alias)
    return (
        RedisClient(Cluster(url, is_known, **options))
        if kind_of(url) == CLUSTER
        else RedisClient(pool_of(url, **options), is_known)
    )


def _made(answer_seconds: float, connect_seconds: float, is_known: IsKnown | None = None) -> RedisClient:
    options = {
        "socket_timeout": answer_seconds,
        "socket_connect_timeout": connect_seconds,
        "retry": Retry(NoBackoff(), 0),
    }
    return client_at("boards", is_known, **options)
