"""Partitions: the standings of a large board's period, divided among several families of keys by a hash of the player.

A player is in one partition of a period, and never moves to another. The hash is one that SQL has too: the first two
digits of the hexadecimal MD5 of the player's id, of which each partition has a range.
"""

import hashlib

PARTITION_COUNTS = (1, 4, 16, 64, 256)
_HASHES = 256  # two hexadecimal digits


def partition_of(player: str, partitions: int) -> int:
    """Return the number of the player's partition, from 0; ``partitions`` is one of ``PARTITION_COUNTS``."""
    first = hashlib.md5(player.encode(), usedforsecurity=False).digest()[0]
    return first * partitions // _HASHES


def hash_range(number: int, partitions: int) -> tuple[str, str]:
    """Return the first and the last two digits of the hash that partition ``number`` has, both included."""
    width = _HASHES // partitions
    return f"{number * width:02x}", f"{(number + 1) * width - 1:02x}"
