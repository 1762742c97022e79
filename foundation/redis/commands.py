"""What is sent to a server and what comes back: packing commands, reading its identity and its refusals."""

from collections.abc import Sequence
from typing import Any

from hiredis import pack_command
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MovedError,
    NoScriptError,
    RedisError,
    TryAgainError,
)

from foundation.redis.errors import NobodyServes, Redirected, RedisRefused, ScriptMissing
from foundation.redis.info import identity_of, read_info

Argument = str | bytes | int | float
OF_NOBODY = (ClusterDownError, TryAgainError, BusyLoadingError)
IDENTITY_COMMAND = ("INFO", "server", "replication")
IDENTITY_ARG = "<the identity of the server that is asked>"  # a placeholder in script arguments; the client fills it in


def pack(command: Sequence[Argument], identity: str) -> bytes:
    """Serialise a command with hiredis: redis-py checks each argument first, which doubles the cost."""
    parts = tuple(identity if part is IDENTITY_ARG else part for part in command)
    return bytes(pack_command(parts))  # type: ignore[arg-type]  # its types know tuples of one only


def read_identity(answer: Any) -> str:
    """The server's identity, from its answer to ``IDENTITY_COMMAND``."""
    return identity_of(read_info(answer))


def read_refusal(error: RedisError, host: str) -> RedisRefused:
    """What an error answer means. ``host`` is where a node is that names no host of its own."""
    message = str(error)
    if isinstance(error, NoScriptError):
        return ScriptMissing(message)
    if isinstance(error, AskError):  # also MOVED
        return Redirected(message, error.host or host, error.port, not isinstance(error, MovedError))
    return NobodyServes(message) if isinstance(error, OF_NOBODY) else RedisRefused(message)
