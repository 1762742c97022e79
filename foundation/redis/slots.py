"""Which slot of Redis Cluster a key belongs to, and which key a command names. Pure functions."""

from binascii import crc_hqx
from collections.abc import Sequence

SLOTS = 16_384
_WITHOUT_KEYS = frozenset({"ASKING", "CLIENT", "INFO", "KEYS", "PING", "SCAN", "SCRIPT", "TIME", "WAIT"})
_WITH_COUNT = frozenset({"EVAL", "EVALSHA"})

Part = str | bytes | int | float


def slot_of(key: str | bytes) -> int:
    """The slot of a key: of the text between its first braces, if there is any, else of the whole key."""
    name = key.encode() if isinstance(key, str) else key
    start = name.find(b"{")
    if start >= 0:
        end = name.find(b"}", start + 1)
        if end > start + 1:
            name = name[start + 1 : end]
    return crc_hqx(name, 0) % SLOTS


def key_of(command: Sequence[Part]) -> str | bytes | None:
    """The first key that a command names; None for one that is about the server."""
    name = str(command[0]).upper()
    if name in _WITH_COUNT:
        return _text(command[3]) if int(command[2]) else None
    return None if name in _WITHOUT_KEYS or len(command) == 1 else _text(command[1])


def _text(part: Part) -> str | bytes:
    return part if isinstance(part, (str, bytes)) else str(part)
