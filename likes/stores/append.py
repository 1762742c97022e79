"""Likes that SQL decides over, appended and aggregated: a row a like, and beside it a change that nobody has counted.

Writers of one thing never wait for each other: each adds rows of its own. ``services/count.py`` takes the changes out
and adds them up. The count is exact at any moment: what was counted, and what waits.
"""

from collections.abc import Sequence
from datetime import datetime

from likes.registry import Likeable
from likes.stores import sql_rows
from likes.stores.base import Likers, LikeSummary
from likes.stores.sql_rows import ChangedLike, ChangeInsert

COUNT = """
COALESCE((SELECT count FROM likes_likecount AS counted
          WHERE counted.kind = wanted.kind AND counted.thing = wanted.thing), 0)
+ COALESCE((SELECT SUM(delta) FROM likes_likechange AS waiting
            WHERE waiting.kind = wanted.kind AND waiting.thing = wanted.thing), 0)"""
_NOTE = """
INSERT INTO likes_likechange (kind, thing, player_id, amount, delta, at)
SELECT kind, thing, player_id, amount, {delta}, at FROM changed"""
_LIKED, _TAKEN_BACK = ChangeInsert(_NOTE.format(delta=1), ()), ChangeInsert(_NOTE.format(delta=-1), ())


class AppendStore:
    """Likes of one kind; keeps the contract of ``base.Store``."""

    def __init__(self, likeable: Likeable) -> None:
        self._kind = likeable.kind
        self._repeatable = likeable.repeatable

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """The player likes the thing. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        self.add(thing, player, at)
        return self.read([thing], player)[0]

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They take a like back. Raises likewise."""
        self.take(thing, player, at)
        return self.read([thing], player)[0]

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """Each thing as the player sees it. Raises ``SqlAway``."""
        return sql_rows.read(self._kind, things, player, COUNT)

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        return sql_rows.likers(self._kind, thing, offset, limit)

    def add(self, thing: str, player: str, at: datetime) -> ChangedLike | None:
        """``like`` without an answer for people: the change with its version, None where nothing changed."""
        return sql_rows.like((self._kind, thing, player), at, self._repeatable, _LIKED)

    def take(self, thing: str, player: str, at: datetime) -> ChangedLike | None:
        """``unlike`` likewise."""
        return sql_rows.unlike((self._kind, thing, player), at, _TAKEN_BACK)
