"""The ``append`` storage: SQL decides; each like is a row, and each change another one that is counted later.

Writers of one thing do not block each other, because each adds its own rows. ``services/count.py`` deletes the changes
and adds them up. The count is always exact: the counted likes plus the waiting changes.
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
_INSERT_CHANGE = """
INSERT INTO likes_likechange (kind, thing, player_id, amount, delta, at)
SELECT kind, thing, player_id, amount, {delta}, at FROM changed"""
_LIKED, _TAKEN_BACK = (
    ChangeInsert(_INSERT_CHANGE.format(delta=1), ()),
    ChangeInsert(_INSERT_CHANGE.format(delta=-1), ()),
)


class AppendStore:
    """A ``base.Store`` for one kind."""

    def __init__(self, likeable: Likeable) -> None:
        self._kind = likeable.kind
        self._repeatable = likeable.repeatable

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Give a like. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        self.add(thing, player, at)
        return self.read([thing], player)[0]

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take a like back. Raises as ``like`` does."""
        self.take(thing, player, at)
        return self.read([thing], player)[0]

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """The likes of each thing, with the player's own. Raises ``SqlAway``."""
        return sql_rows.read(self._kind, things, player, COUNT)

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        return sql_rows.likers(self._kind, thing, offset, limit)

    def add(self, thing: str, player: str, at: datetime) -> ChangedLike | None:
        """As ``like``, but return the change with its version; None if nothing changed."""
        return sql_rows.like((self._kind, thing, player), at, self._repeatable, _LIKED)

    def take(self, thing: str, player: str, at: datetime) -> ChangedLike | None:
        """As ``unlike``, but return the change with its version; None if nothing changed."""
        return sql_rows.unlike((self._kind, thing, player), at, _TAKEN_BACK)
