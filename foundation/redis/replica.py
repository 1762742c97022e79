"""One replica of a Redis server, which is only read: its connections, and a rest after each failure.

Nothing that it says is trusted by itself; each answer comes with a beat (``beats.py``), read before it over the same
connection. A replica that does not answer in ``WAIT_SECONDS`` is left alone for a second, then for two, up to
``LONGEST_REST_SECONDS``; after each rest one caller tries.
"""

import threading
from collections.abc import Sequence
from typing import Any

from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.connection import Connection
from redis.exceptions import NoScriptError, RedisError
from redis.retry import Retry

from foundation import clock
from foundation.redis.commands import Argument, pack
from foundation.redis.connection import IdleConnections, RedisConnection, VerifiedServer
from foundation.redis.errors import RedisAway, RedisSilent
from foundation.redis.lua import Script

WAIT_SECONDS = 0.15  # to connect, and for an answer: what a page waits at most before it asks the primary
FIRST_REST_SECONDS, LONGEST_REST_SECONDS = 1.0, 16.0

Command = Sequence[Argument]


class Replica:
    """Reads from one replica. ``is_node`` says that it belongs to a cluster, whose replicas must be told to answer."""

    def __init__(self, options: dict[str, Any], connection_class: type[Connection], is_node: bool) -> None:
        waits = {"socket_timeout": WAIT_SECONDS, "socket_connect_timeout": WAIT_SECONDS}
        once = {"retry": Retry(NoBackoff(), 0), "redis_connect_func": self._greet}
        pool = ConnectionPool(connection_class=connection_class, **{**options, **waits, **once})
        self.name = str(options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}")
        self._pool, self._idle, self._is_node = pool, IdleConnections(pool), is_node
        self._lock = threading.Lock()
        self._rest_seconds, self._rests_until = 0.0, 0.0

    def is_resting(self) -> bool:
        """Whether it is not to be asked now. After a rest the first caller gets False, and is to ask."""
        if not self._rests_until:
            return False
        with self._lock:
            now = clock.monotonic()
            if now < self._rests_until:
                return True
            self._rests_until = now + self._rest_seconds
            return False

    def rest(self) -> None:
        """Leave it alone, twice as long as the last time: it failed, or is behind."""
        with self._lock:
            self._rest_seconds = min(2 * self._rest_seconds or FIRST_REST_SECONDS, LONGEST_REST_SECONDS)
            self._rests_until = clock.monotonic() + self._rest_seconds

    def was_good(self) -> None:
        """End its rests."""
        self._rest_seconds = self._rests_until = 0.0

    def read(self, beat: str, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> tuple[Any, Any]:
        """The value of the key ``beat``, and then the answer of a script that only reads; either may be an error.

        Raises ``RedisAway`` or ``RedisSilent``.
        """
        about: list[Argument] = [len(keys), *keys, *args]
        found, answer = self.exchange([("GET", beat), ("EVALSHA", script.digest, *about)])
        if isinstance(answer, NoScriptError):
            found, answer = self.exchange([("GET", beat), ("EVAL", script.text, *about)])
        return found, answer

    def exchange(self, commands: Sequence[Command]) -> list[Any]:
        """Send the commands in one write, once; errors are among the answers. Raises ``RedisAway``, ``RedisSilent``."""
        try:
            connection = self._idle.take() or self._open()
        except (RedisError, OSError) as error:
            raise RedisAway(f"The replica at {self.name} is away.") from error
        packed = b"".join(pack(each, "") for each in commands)  # no command to a replica names an identity
        try:
            answers = connection.exchange(packed, len(commands))
        except (RedisError, OSError) as error:
            self._idle.drop(connection)
            raise RedisSilent(f"The replica at {self.name} did not answer in time.") from error
        except BaseException:
            self._idle.drop(connection)
            raise
        self._idle.keep(connection)
        return answers

    def close(self) -> None:
        """Close its connections; those in use are closed when they come back."""
        self._idle.drop_all()
        self._pool.disconnect(inuse_connections=False)

    def _open(self) -> RedisConnection:
        connection = self._pool.get_connection()
        return RedisConnection(connection, VerifiedServer("", clock.monotonic()))

    def _greet(self, connection: Connection) -> None:
        connection.on_connect()
        if self._is_node:
            connection.send_command("READONLY", check_health=False)
            connection.read_response()
