"""A connection that redis-py has opened and greeted, and what then goes over it: one write, an answer to each command.

Bytes go by the socket itself, answers are read by hiredis. The kernel keeps the time-out (SO_RCVTIMEO, SO_SNDTIMEO;
socket(7)): a Python socket with one asks the system twice for each read and each write, and gives the interpreter away
to other threads both times. The trap: whoever gave up an exchange must close the wire, else the next hears its answers.
"""

import os
import socket
import struct
from typing import Any

from hiredis import PushNotification, Reader
from redis.connection import Connection

from foundation import clock

RESTED_SECONDS = 0.01  # what answered later than this ago is asked whether it still stands
READ_AT_ONCE = 65_536
_TIMEVAL = struct.Struct("ll")  # seconds and microseconds, as Linux, the BSDs and macOS have them on 64 bits
_MORE = object()


class Wire:
    """Waits at most ``seconds`` for each read and each write."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self.connection = connection
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

    def stands(self) -> bool:
        """Whether this process opened it, and nobody has closed it. Raises ``OSError`` or ``RedisError``."""
        if self.connection.pid != os.getpid() or not self.connection.is_connected:
            return False
        rested = clock.monotonic() - self._answered_at > RESTED_SECONDS
        return not (rested and self.connection.can_read())
