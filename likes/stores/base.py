"""What every store of likes answers: the contract that one test suite holds them all to.

A store is made for one kind. Things and players are texts; whether they exist, and who may like what, was asked
before (``services/like.py``). A like is a state, never a toggle: asked for twice it is there once. Of a repeatable
kind each asking counts, and each taking back takes one of the player's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LikeSummary:
    """The likes of a thing, and how many of them are the asking player's own: 0 or 1, or more of a repeatable kind.

    ``live`` is False where SQL stood in for a Redis that is away.
    """

    count: int
    own: int
    live: bool = True

    @property
    def liked(self) -> bool:
        """Whether the asking player likes it."""
        return self.own > 0


@dataclass(frozen=True, slots=True)
class Liker:
    """Who likes a thing, how often, since when (of a repeatable kind: the latest time)."""

    player: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Likers:
    """Some of those who like a thing, the newest first, and how many there are (players, not likes)."""

    total: int
    rows: list[Liker]
    live: bool = True


class Store(Protocol):
    """Likes of one kind. Each raises ``LikesUnavailable`` or ``LikeOutcomeUnknown`` where what decides is away."""

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """The player likes the thing; what it looks like for them after it."""

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They do not like it (any more), or take one like back."""

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """Each thing as the player (or nobody) sees it, in their order, in one round trip."""

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing; of the same moment the one whose id is greater in bytes comes first."""
