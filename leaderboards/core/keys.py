"""The names of this app's Redis keys; no other module spells them.

All keys of a period but the sorted set have the sorted set's name in braces, as hash tag, and so its slot. In a cluster
the sorted set of a calendar period has its board's name in braces, since one script uses it and the board's ids; a
competition has ids of its own.

The keys of a partition of a period have a tag of the board and the partition, on one server too: its ids are in the
same slot in every period. A number in the tag is chosen so that the partitions of a board are spread over all slots.
"""

import hashlib
from binascii import crc_hqx
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from foundation.sync.keys import KeyFamily, has_names_for_cluster
from leaderboards.core.periods import event_number

SLOTS = 16_384  # of a Redis Cluster, which finds the slot of a tag by the same checksum


def board(seq: int) -> str:
    """The prefix of all keys of board ``seq``, and the hash tag of those that belong to no period."""
    return f"LeaderBoard_{seq}"


def zset(seq: int, label: str) -> str:
    """The sorted set of a period of board ``seq``, which also names its family."""
    if has_names_for_cluster() and event_number(label) is None:
        return f"{{{board(seq)}}}_{label}"
    return f"{board(seq)}_{label}"


def partition(seq: int, number: int, partitions: int) -> str:
    """The prefix of all keys of partition ``number`` of board ``seq``, and their hash tag.

    Raises ``ValueError`` if there is no such partition: no tag would be in its share, and the search would not end.
    """
    if not 0 <= number < partitions:
        raise ValueError(f"Board {seq} in {partitions} partitions has none with the number {number}.")
    return _balanced(f"{board(seq)}:{partitions}.{number}", number, partitions)


@lru_cache(maxsize=10_000)
def _balanced(name: str, number: int, partitions: int) -> str:
    """The name with the least number behind it whose slot is in the partition's share of all slots."""
    tags = (f"{name}.{n}" for n in count())
    return next(tag for tag in tags if crc_hqx(tag.encode(), 0) % SLOTS * partitions // SLOTS == number)


def zset_of_partition(seq: int, label: str, number: int, partitions: int) -> str:
    """The sorted set of a partition of a period, which also names its family."""
    return f"{{{partition(seq, number, partitions)}}}_{label}"


def ids(owner: str, day: str, n: int) -> str:
    """Hash ``n`` of the ids that a redis board, or a competition on it, has counted on ``day``."""
    return f"{{{owner}}}:ids:{day}:{n}"


def recent(owner: str, player: str) -> str:
    """List of a player's recent submissions on a redis board with plausibility limits; the player is hashed."""
    digest = hashlib.blake2b(player.encode(), digest_size=12).hexdigest()
    return f"{{{owner}}}:recent:{digest}"


def changed(owner: str) -> str:
    """When a board (``owner``: its prefix) or a competition (its sorted set) was changed last; for ten minutes."""
    return f"{{{owner}}}:changed"


@dataclass(frozen=True, slots=True)
class PeriodKeyFamily(KeyFamily):
    """The keys of a period, named after its sorted set; ``dirty`` is by player.

    A compact family has a hash with a tree in the place of the sorted set; ``per_bucket`` is then how many numbers of
    players a bucket of the hash of their scores is for.
    """

    zset: str
    has_levels: bool = False  # distinct scores are bits: it is compact, or one of several, whose bits are joined
    per_bucket: int = 0
    has_ranges: bool = False  # of a partition of a period with score ranges (core/score_ranges.py)

    @property
    def is_compact(self) -> bool:
        """Whether Redis knows the players by their numbers."""
        return self.per_bucket > 0

    @property
    def members(self) -> str:
        """Hash player → member, in the member form; of a compact family scores by number, in buckets."""
        return self._key_name(f"numbers:{self.per_bucket}" if self.is_compact else "members")

    @property
    def stored_state(self) -> str:
        """Hash player → time and value of a standing, where the score does not hold both (``redis``)."""
        return self._key_name("held")

    @property
    def scores(self) -> str:
        """The distinct scores of a ``dense`` board: a sorted set, or the bits of levels (``core/levels.py``)."""
        return self._key_name("levels" if self.has_levels else "scores")

    @property
    def inflight(self) -> str:
        """Hash player → token of the last announcement of a decision about them (``hybrid``)."""
        return self._key_name("inflight")

    @property
    def moved(self) -> str:
        """Hash player → the places at which score ranges may have them, of those who have changed since."""
        return self._key_name("moved")

    def range(self, slot: int) -> str:
        """The sorted set of the score range with the partition's number; ``slot`` is 0 or 1."""
        return self._key_name(f"range:{slot}")

    def range_head(self, slot: int) -> str:
        """Hash: to which index the score range belongs, and up to when it follows."""
        return self._key_name(f"range-head:{slot}")

    @property
    def closed(self) -> str:
        """Exists once the period takes no more submissions."""
        return self._key_name("closed")

    @property
    def cache_version(self) -> str:
        """The cache version of the period and its board; missing after a change, until the next read."""
        return self._key_name("cache-version")

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All keys, the sorted set and the generation first."""
        others = (
            self.dirty,
            self.members,
            self.stored_state,
            self.scores,
            self.inflight,
            self.watermark,
            self.closed,
            self.seq,
        )
        ranges = (self.moved, *(name(slot) for slot in (0, 1) for name in (self.range, self.range_head)))
        return (self.zset, self.gen, *others, self.cache_version, *(ranges if self.has_ranges else ()))

    def _key_name(self, name: str) -> str:
        return f"{self.zset}:{name}" if self.zset.startswith("{") else f"{{{self.zset}}}:{name}"


# Of an undivided compact family. Of four partitions each has every fourth number: a bucket is for four times as many.
NUMBERS_PER_BUCKET = 50


def family(name: str, is_compact: bool, partitions: int = 1, has_ranges: bool = False) -> PeriodKeyFamily:
    """Return the keys that are named after the sorted set ``name``, of one of so many families of a period."""
    per_bucket = NUMBERS_PER_BUCKET * partitions if is_compact else 0
    return PeriodKeyFamily(name, is_compact or partitions > 1, per_bucket, has_ranges)
