"""The keys of boards in DynamoDB; no other module spells them.

A period is spread over a number of *write shards*, by the player: each is a partition key with its players as sort
keys, and takes a part of what one key can take. Within a shard an index sorts by ``place``, which is unique, since it
ends with the member: two players with the same score never collide, and ties are ordered as in every other storage.
"""

import hashlib
import struct
from datetime import datetime
from typing import NamedTuple

SCORE_DIGITS = 19  # of the bits of a float64 that is not negative
COUNTERS = 32  # of a period's players: each is changed by few writers at once
_FLOAT, _BITS = struct.Struct(">d"), struct.Struct(">q")
# A place is digits, this, and a member; so all places of a score lie between digits with this and digits with the next.
_AFTER_SCORE, _BEHIND_SCORE = "#", "$"


class ItemKey(NamedTuple):
    """Partition key and sort key of an item."""

    partition: str
    sort: str


def shards(seq: int, label: str, count: int) -> list[str]:
    """Return the partition keys of a period."""
    return [f"{seq}#{label}#p{n}" for n in range(count)]


def standing(seq: int, label: str, count: int, player: str) -> ItemKey:
    """Return the key of a player's standing."""
    return ItemKey(f"{seq}#{label}#p{_hash(player) % count}", player)


def counters(seq: int, label: str) -> str:
    """Return the partition key of the counters of a period's players: one query reads them all."""
    return f"{seq}#{label}#n"


def counter(seq: int, label: str, player: str) -> ItemKey:
    """Return the key of the counter that counts a player."""
    return ItemKey(counters(seq, label), str(_hash(player) // 256 % COUNTERS))


def entry_id(seq: int, made_at: datetime, service: str, external_id: str) -> ItemKey:
    """Return the key of an entry's id on a board: the id is unique within its service.

    ``made_at`` is the board's: one that is made again under the number of a deleted one knows nothing of its ids.
    """
    digest = hashlib.blake2b(f"{made_at.timestamp()}\0{service}\0{external_id}".encode(), digest_size=16).hexdigest()
    return ItemKey(f"{seq}#id#{digest}", "-")


def proof(content: str) -> str:
    """Return a digest of an entry's content: it tells a repetition from a reuse of its id."""
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def place(score: float, member: str) -> str:
    """Return the text that sorts as score and member do; ``score`` is not negative."""
    return f"{_digits(score)}{_AFTER_SCORE}{member}"


def score_and_member(text: str) -> tuple[float, str]:
    """Return what a place was made of."""
    [score] = _FLOAT.unpack(_BITS.pack(int(text[:SCORE_DIGITS])))
    return score, text[SCORE_DIGITS + 1 :]


def places_of_score(score: float) -> tuple[str, str]:
    """Return two texts: every place of the score lies between them, and no other does."""
    digits = _digits(score)
    return f"{digits}{_AFTER_SCORE}", f"{digits}{_BEHIND_SCORE}"


def _digits(score: float) -> str:
    [bits] = _BITS.unpack(_FLOAT.pack(score))
    return f"{bits:0{SCORE_DIGITS}d}"


def _hash(player: str) -> int:
    return int.from_bytes(hashlib.blake2b(player.encode(), digest_size=8).digest())
