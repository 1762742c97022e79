"""Waiting for Redis inside the kernel.

A Python socket with a time-out asks the system twice for each read and each write, whether it may and then to do it,
and gives the interpreter away to other threads both times. A blocking socket with the kernel's own time-outs
(SO_RCVTIMEO, SO_SNDTIMEO; socket(7)) asks once, and fails with EAGAIN where the other would have timed out.
"""

import socket
import struct

from redis.connection import Connection

_TIMEVAL = struct.Struct("ll")  # seconds and microseconds, as Linux, the BSDs and macOS have them on 64 bits


def wait_in_kernel(connection: Connection, seconds: float) -> None:
    """Have an open connection wait at most ``seconds`` for each read and write, by the kernel's clock."""
    link: socket.socket = connection._get_socket()  # type: ignore[assignment]  # None only where it is not open
    link.settimeout(None)
    span = _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1_000_000))
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)
