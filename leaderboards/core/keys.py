"""The names of this app's Redis keys: the only place where one is spelled.

The trap: everything beside the sorted set wears the period's name in braces, its hash tag, so that
Redis Cluster keeps the family in one slot. The sorted set itself has no braces, and the same slot.
"""

import hashlib
from dataclasses import dataclass

from foundation.sync.keys import KeyFamily


def board(seq: int) -> str:
    """What all keys of board ``seq`` begin with, and the hash tag of those that belong to no period."""
    return f"LeaderBoard_{seq}"


def zset(seq: int, label: str) -> str:
    """The sorted set of one period of board ``seq``, and the name of its family."""
    return f"{board(seq)}_{label}"


def ids(owner: str, day: str, n: int) -> str:
    """Small hash ``n`` of the ids that a redis board has seen on ``day``: the board's, or a competition's own."""
    return f"{{{owner}}}:ids:{day}:{n}"


def recent(owner: str, player: str) -> str:
    """What a player submitted lately on a redis board that has limits of plausibility; no name is told by it."""
    digest = hashlib.blake2b(player.encode(), digest_size=12).hexdigest()
    return f"{{{owner}}}:recent:{digest}"


@dataclass(frozen=True, slots=True)
class PeriodKeyFamily(KeyFamily):
    """The keys of one period, named after its sorted set; ``dirty`` is by player."""

    zset: str

    @property
    def members(self) -> str:
        """Hash player → member, in the member form."""
        return self._key_name("members")

    @property
    def stored_state(self) -> str:
        """Hash player → what a redis board must remember of a standing beside its score."""
        return self._key_name("held")

    @property
    def scores(self) -> str:
        """Sorted set of the distinct scores of a ``dense`` board."""
        return self._key_name("scores")

    @property
    def inflight(self) -> str:
        """Hash player → token of who announced last that they decide over the player's standing (``hybrid``)."""
        return self._key_name("inflight")

    @property
    def closed(self) -> str:
        """Exists once the period takes no more."""
        return self._key_name("closed")

    @property
    def cache_version(self) -> str:
        """What readers know a period and its board by; missing where that has changed, until somebody reads it."""
        return self._key_name("cache-version")

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The sorted set and the generation first."""
        beside = (
            self.dirty,
            self.members,
            self.stored_state,
            self.scores,
            self.inflight,
            self.watermark,
            self.closed,
            self.seq,
        )
        return (self.zset, self.gen, *beside, self.cache_version)

    def _key_name(self, name: str) -> str:
        return f"{{{self.zset}}}:{name}"
