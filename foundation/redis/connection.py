"""A connection that redis-py has opened and greeted, and what then goes over it: one write, an answer to each command.

Bytes go by the socket itself, answers are read by hiredis. The kernel keeps the time-out (SO_RCVTIMEO, SO_SNDTIMEO;
socket(7)): a Python socket with one asks the system twice for each read and each write, and gives the interpreter away
to other threads both times. The trap: a caller that gave up an exchange must close the wire, else the next hears its
answers.
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

RESTED_SECONDS = 0.01  # what answered later than this ago is asked whether it still stands
READ_AT_ONCE = 65_536
_TIMEVAL = struct.Struct("ll")  # seconds and microseconds, as Linux, the BSDs and macOS have them on 64 bits
_MORE = object()


class VerifiedServer(NamedTuple):
    """Who was there (``redis_info.identity_of``), and when that was asked, in monotonic seconds."""

    identity: str
    at: float


class RedisConnection:
    """Waits at most ``seconds`` for each read and each write. ``verified`` is what was heard last of who is there."""

    def __init__(self, connection: Connection, seconds: float, verified: VerifiedServer) -> None:
        self.connection = connection
        self.verified = verified
        self._socket: socket.socket = connection._get_socket()  # type: ignore[assignment]  # None where it is not open
        self._socket.settimeout(None)
        span = _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1_000_000))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)
        self._reader = Reader(notEnoughData=_MORE)
        self._answered_at = clock.monotonic()

    def exchange(self, packed: bytes, count: int) -> list[Any]:
        """The answers to ``count`` commands; a refusal is a ``hiredis.ReplyError`` among them.

        Raises ``OSError``, or ``hiredis.ProtocolError`` for an answer that is none.
        """
        self._socket.sendall(packed)
        answers: list[Any] = []
        while len(answers) < count:
            answer = self._reader.gets()
            if answer is _MORE:
                self._listen()
            elif not isinstance(answer, PushNotification):
                answers.append(answer)
        self._answered_at = clock.monotonic()
        return answers

    def _listen(self) -> None:
        heard = self._socket.recv(READ_AT_ONCE)
        if not heard:
            raise ConnectionResetError("Redis hung up.")
        self._reader.feed(heard)

    def is_alive(self) -> bool:
        """Whether this process opened it, and nobody has closed it. Raises ``OSError`` or ``RedisError``."""
        if self.connection.pid != os.getpid() or not self.connection.is_connected:
            return False
        rested = clock.monotonic() - self._answered_at > RESTED_SECONDS
        return not (rested and self.connection.can_read())


class IdleConnections:
    """Wires that have answered, the latest first, for the next call."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._wires: deque[RedisConnection] = deque()
        self._dropped_at = 0.0

    def take(self) -> RedisConnection | None:
        """The one that answered last, if it still stands."""
        try:
            wire = self._wires.pop()
        except IndexError:
            return None
        try:
            if wire.is_alive():
                return wire
        except (RedisError, OSError):
            pass  # the server closed it: the pool opens it anew
        self.drop(wire)
        return None

    def keep(self, wire: RedisConnection) -> None:
        """For the next call; unless all were dropped since it was asked who is there."""
        if wire.verified.at > self._dropped_at:
            self._wires.append(wire)
        else:
            self.drop(wire)

    def drop(self, wire: RedisConnection) -> None:
        """Close it."""
        wire.connection.disconnect()
        self._pool.release(wire.connection)

    def drop_all(self) -> None:
        """Close all, those too that are under way at this moment, when they come back: the server is another now."""
        self._dropped_at = clock.monotonic()
        while self._wires:
            self.drop(self._wires.pop())
