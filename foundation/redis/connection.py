"""Exchange commands and answers over a connection that redis-py opened: one write, then one answer to each command.

Bytes are written to the socket directly and hiredis reads the answers. The kernel enforces the time-out (SO_RCVTIMEO,
SO_SNDTIMEO; socket(7)): a Python socket with a time-out makes two system calls for each read and write, and releases
the GIL both times. The trap: after a failed exchange the caller must close the connection, else the next caller reads
its answers.
"""

import os
import socket
import struct
from collections import deque
from typing import Any, NamedTuple

from hiredis import PushNotification, Reader
from redis import ConnectionPool
from redis.connection import Connection
from redis.exceptions import RedisError

from foundation import clock

IDLE_CHECK_SECONDS = 0.01  # a connection that was idle for longer is checked before it is used
READ_AT_ONCE = 65_536  # bytes
_TIMEVAL = struct.Struct("ll")  # seconds and microseconds, as Linux, the BSDs and macOS have them on 64 bits
_INCOMPLETE = object()  # what the reader returns until an answer is complete


class VerifiedServer(NamedTuple):
    """A server's identity (``info.identity_of``), and when it was read, in monotonic seconds."""

    identity: str
    at: float


class RedisConnection:
    """A connection with a time-out of ``seconds`` for each read and write. ``verified`` is the last identity check."""

    def __init__(self, connection: Connection, seconds: float, verified: VerifiedServer) -> None:
        self.connection = connection
        self.verified = verified
        self._socket: socket.socket = connection._get_socket()  # type: ignore[assignment]  # None where it is not open
        self._socket.settimeout(None)
        span = _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1_000_000))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)
        self._reader = Reader(notEnoughData=_INCOMPLETE)
        self._answered_at = clock.monotonic()

    def exchange(self, packed: bytes, count: int) -> list[Any]:
        """Send ``packed`` and read the answers to its ``count`` commands; an error is a ``hiredis.ReplyError`` in them.

        Raises ``OSError``, or ``hiredis.ProtocolError`` if the server sends something that is not RESP.
        """
        self._socket.sendall(packed)
        answers: list[Any] = []
        while len(answers) < count:
            answer = self._reader.gets()
            if answer is _INCOMPLETE:
                self._receive()
            elif not isinstance(answer, PushNotification):
                answers.append(answer)
        self._answered_at = clock.monotonic()
        return answers

    def _receive(self) -> None:
        received = self._socket.recv(READ_AT_ONCE)
        if not received:
            raise ConnectionResetError("Redis hung up.")
        self._reader.feed(received)

    def is_alive(self) -> bool:
        """Whether this process opened the connection and it is still open. Raises ``OSError`` or ``RedisError``."""
        if self.connection.pid != os.getpid() or not self.connection.is_connected:
            return False
        was_idle = clock.monotonic() - self._answered_at > IDLE_CHECK_SECONDS
        return not (was_idle and self.connection.can_read())


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
