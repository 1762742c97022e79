"""Which server of a deployment a command goes to: one server for all keys (alone or behind Sentinel), or a cluster."""

from collections.abc import Sequence
from typing import Any, Protocol

from foundation.redis.addresses import Host
from foundation.redis.commands import Argument
from foundation.redis.server import Server


class Topology(Protocol):
    """The servers of a deployment."""

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer, in ms."""

    def exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send each command once to the server that has its keys; refusals stand in place of answers.

        Raises ``RedisAway`` or ``RedisSilent``. Where several servers are asked, that of one stands in place of its
        answers, and is raised only if no server answered.
        """

    def servers(self) -> Sequence[Server]:
        """All servers that take writes. Raises ``RedisAway`` if nobody tells which they are."""

    def server_of(self, key: str, /) -> Server:
        """The server that has ``key``. Raises ``RedisAway`` if none does now."""

    def groups(self, keys: Sequence[str]) -> list[list[str]]:
        """The keys in groups that one command may name together, each in the given order."""

    def missing(self) -> int:
        """How many slots nobody has, as last told."""

    def a_slot_of(self, server: Server, /) -> int | None:
        """The first slot of a server of a cluster, as last told; None if there are no slots."""

    def replicas_of(self, server: Server, /) -> Sequence[Host]:
        """The addresses of the replicas of a primary that sentinels or nodes of a cluster know, perhaps none."""

    def reset(self) -> None:
        """Forget everything and drop all connections."""


class OneServer:
    """The topology of one server for all keys."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.exchange = server.exchange  # nothing in between: each call of the boards goes through here
        self.reset = server.reset

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer, in ms."""
        return self.server.timeout_ms

    def servers(self) -> Sequence[Server]:
        """The server."""
        return [self.server]

    def server_of(self, _key: str) -> Server:
        """The server, whatever the key."""
        return self.server

    def groups(self, keys: Sequence[str]) -> list[list[str]]:
        """All keys together."""
        return [list(keys)] if keys else []

    def missing(self) -> int:
        """None."""
        return 0

    def a_slot_of(self, _server: Server) -> int | None:
        """None: there are no slots."""
        return None

    def replicas_of(self, _server: Server) -> Sequence[Host]:
        """Those that sentinels know."""
        return self.server.replicas_by_sentinels()
