"""The interface of all storages of likes; one test suite checks them all.

A store is for one kind. Things and players are texts that ``services/like.py`` has checked before. A like is a state,
not a toggle: a repeated request changes nothing. For a repeatable kind each request adds a like, and each ``unlike``
removes one of the player's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LikeSummary:
    """The likes of a thing, and the player's ``own``: 0 or 1, or more for a repeatable kind.

    ``live`` is False if SQL answered instead of an unavailable Redis.
    """

    count: int
    own: int
    live: bool = True

    @property
    def liked(self) -> bool:
        """Whether the player likes it."""
        return self.own > 0


@dataclass(frozen=True, slots=True)
class Liker:
    """A player who likes a thing, how often, and since when (for a repeatable kind: the latest time)."""

    player: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Likers:
    """A page of the players who like a thing, the newest first, and their total number (players, not likes)."""

    total: int
    rows: list[Liker]
    live: bool = True


class Store(Protocol):
    """Likes of one kind. Writes raise ``LikesUnavailable`` or ``LikeOutcomeUnknown`` if the deciding server is away."""

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Give a like; return the thing's likes after it."""

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take a like back, if there is one; return the thing's likes after it."""

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """The likes of each thing, in order, with the player's own (None: nobody), in one round trip."""

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing, the newest first; at the same time the greater id in bytes comes first."""
