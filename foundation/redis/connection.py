"""Connections that redis-py opened, used directly: one write, then one answer to each command; idle ones are kept.

And the circuit breaker: after a failure, calls fail at once instead of waiting for the time-out.

redis-py's own client repeats commands and does not tell "not sent" from "not answered", so its connections are used
below it. The trap: after a failed exchange the caller must close the connection, else the next caller reads its
answers.
"""

import os
from collections import deque
from typing import Any, NamedTuple

from redis import ConnectionPool
from redis.connection import Connection
from redis.exceptions import BusyLoadingError, RedisError, ResponseError

from foundation import clock
from foundation.monitoring.server_metrics import set_redis_breaker

IDLE_CHECK_SECONDS = 0.01  # a connection that was idle for longer is checked before it is used
BREAK_SECONDS = 1.0
UNKNOWN_SECONDS = 0.25  # the same after a server that answers and that SQL does not know yet
REFUSALS = (ResponseError, BusyLoadingError)  # the server answered, and did nothing


class VerifiedServer(NamedTuple):
    """A server's identity (``info.identity_of``), and when it was read, in monotonic seconds."""

    identity: str
    at: float


class RedisConnection:
    """A connection of the pool. ``verified`` is the last identity check."""

    def __init__(self, connection: Connection, verified: VerifiedServer) -> None:
        self.connection = connection
        self.verified = verified
        self._answered_at = clock.monotonic()

    def exchange(self, packed: bytes, count: int) -> list[Any]:
        """Send ``packed`` and read the answers to its ``count`` commands; an error is one of ``REFUSALS`` in them.

        Raises ``OSError`` or ``RedisError`` if the server hangs up, is silent, or sends something that is not RESP.
        """
        self.connection.send_packed_command([packed], check_health=False)
        answers = [self._read_answer() for _ in range(count)]
        self._answered_at = clock.monotonic()
        return answers

    def send(self, packed: bytes) -> None:
        """The first half of ``exchange``."""
        self.connection.send_packed_command([packed], check_health=False)

    def receive(self, count: int) -> list[Any]:
        """The second half of ``exchange``."""
        answers = [self._read_answer() for _ in range(count)]
        self._answered_at = clock.monotonic()
        return answers

    def has_answer(self) -> bool:
        """Whether an answer, or at least its beginning, has come."""
        return bool(self.connection.can_read())

    def _read_answer(self) -> Any:
        try:
            return self.connection.read_response(disconnect_on_error=False)  # the caller does
        except REFUSALS as error:
            return error

    def is_alive(self) -> bool:
        """Whether this process opened the connection and it is still open. Raises ``OSError`` or ``RedisError``."""
        if self.connection.pid != os.getpid() or not self.connection.is_connected:
            return False
        was_idle = clock.monotonic() - self._answered_at > IDLE_CHECK_SECONDS
        return not (was_idle and self.connection.can_read())


class Sent(NamedTuple):
    """Commands that were sent over a connection at a time, after a check of its identity or none."""

    connection: RedisConnection
    commands: int
    checks: int
    at: float


class IdleConnections:
    """Connections that have answered and are free, for the next call; last in, first out."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._idle: deque[RedisConnection] = deque()
        self._dropped_at = 0.0

    def take(self) -> RedisConnection | None:
        """Take the connection that answered last; None if there is none or it is closed."""
        try:
            connection = self._idle.pop()
        except IndexError:
            return None
        try:
            if connection.is_alive():
                return connection
        except (RedisError, OSError):
            pass  # the server closed it
        self.drop(connection)
        return None

    def keep(self, connection: RedisConnection) -> None:
        """Keep a connection for the next call, unless ``drop_all`` was called after its identity was checked."""
        if connection.verified.at > self._dropped_at:
            self._idle.append(connection)
        else:
            self.drop(connection)

    def drop(self, connection: RedisConnection) -> None:
        """Close the connection and give its place back to the pool."""
        connection.connection.disconnect()
        self._pool.release(connection.connection)

    def drop_all(self) -> None:
        """Close all connections, because the server changed. Those in use are closed when they come back."""
        self._dropped_at = clock.monotonic()
        while self._idle:
            self.drop(self._idle.pop())


class Breaker:
    """Open for ``pause`` seconds after a failure; then one caller at a time probes the server."""

    def __init__(self, pause: float = BREAK_SECONDS) -> None:
        self._pause = pause
        self._open_until = 0.0

    def is_open(self) -> bool:
        """Whether calls must fail now. After the pause the first caller gets False: its call is the probe."""
        open_until = self._open_until
        if not open_until:
            return False
        if clock.monotonic() < open_until:
            return True
        self._open_until = clock.monotonic() + self._pause
        return False

    @property
    def has_failed(self) -> bool:
        """Whether the last call failed."""
        return bool(self._open_until)

    def failed(self, pause: float | None = None) -> None:
        """Open the breaker: a call failed. ``pause`` is another one for this time."""
        seconds = self._pause if pause is None else pause
        set_redis_breaker(seconds)
        self._open_until = clock.monotonic() + seconds

    def answered(self) -> None:
        """Close the breaker: a call was answered."""
        if self._open_until:
            set_redis_breaker(0)
        self._open_until = 0.0
