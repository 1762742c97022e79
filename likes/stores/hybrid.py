"""The ``hybrid`` storage: SQL decides as in ``append.py``; changes are published to a view in Redis for reads.

If Redis is unavailable SQL answers, without waiting. If a writer cannot publish, ``services/count.py`` does: it
publishes each change again before counting it. The trap: a transaction sees uncommitted rows, so inside one only SQL
answers, and the view is updated after the commit.
"""

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import connection, transaction

from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from likes.registry import Likeable
from likes.stores import sql_rows
from likes.stores.append import AppendStore
from likes.stores.base import Likers, LikeSummary
from likes.stores.redis_views import LikeState, RedisViews
from likes.stores.sql_rows import ChangedLike

logger = logging.getLogger(__name__)

MOST_LOADED = 50_000  # likes that one request loads into views, in half a second; beyond it SQL answers


class HybridStore:
    """A ``base.Store`` for one kind."""

    def __init__(self, likeable: Likeable, client: RedisClient | None = None) -> None:
        self._kind = likeable.kind
        self._sql = AppendStore(likeable)
        self._views = RedisViews(likeable.kind, client or redis.boards())

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Give a like. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        failpoint("like.before_commit")
        changed = self._sql.add(thing, player, at)
        return self._publish_change(thing, player, changed) if changed else self._read_unchanged(thing, player, 1)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take a like back. Raises as ``like`` does."""
        failpoint("like.before_commit")
        changed = self._sql.take(thing, player, at)
        return self._publish_change(thing, player, changed) if changed else self._read_unchanged(thing, player, 0)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """The likes of each thing, with the player's own: one round trip if all have views. Raises ``SqlAway``."""
        if connection.in_atomic_block:
            return self._sql.read(things, player)
        try:
            in_views = dict(zip(things, self._views.read(things, player), strict=True))
        except Unavailable as error:
            logger.info("likes of %s are read from SQL: %s", self._kind, error.detail)
            return [replace(summary, live=False) for summary in self._sql.read(things, player)]
        missing = [thing for thing, summary in in_views.items() if summary is None]
        in_sql = dict(zip(missing, self._sql.read(missing, player), strict=True))
        self._load_views({thing: summary.count for thing, summary in in_sql.items()})
        return [in_views[thing] or in_sql[thing] for thing in things]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        if connection.in_atomic_block:
            return self._sql.likers(thing, offset, limit)
        try:
            likers = self._views.likers(thing, offset, limit)
        except Unavailable:
            return replace(self._sql.likers(thing, offset, limit), live=False)
        return likers or self._sql.likers(thing, offset, limit)

    def _read_unchanged(self, thing: str, player: str, own: int) -> LikeSummary:
        """The answer if nothing changed. If the view does not have the player's earlier change yet, SQL answers."""
        summary = self.read([thing], player)[0]
        return summary if summary.own == own else replace(self._sql.read([thing], player)[0], live=summary.live)

    def _publish_change(self, thing: str, player: str, changed: ChangedLike) -> LikeSummary:
        state = LikeState(changed.note, player, changed.amount, changed.at_ms)
        if connection.in_atomic_block:
            transaction.on_commit(lambda: self._try_publish(thing, state))
            return self._sql.read([thing], player)[0]
        failpoint("like.after_commit")
        summary, is_live = self._try_publish(thing, state)
        failpoint("like.after_put")
        return summary or replace(self._sql.read([thing], player)[0], live=is_live)

    def _try_publish(self, thing: str, state: LikeState) -> tuple[LikeSummary | None, bool]:
        """Publish to the view; return its summary (None without a view), and whether Redis answered."""
        try:
            return self._views.publish(thing, state), True
        except Unavailable as error:
            logger.info("a like of %s is left to the batch: %s", self._kind, error.detail)
            return None, False

    def _load_views(self, counts: Mapping[str, int]) -> None:
        """Load the views of things that have none, as many as a request may. Other requests meanwhile read SQL."""
        token = secrets.token_hex(8)
        try:
            leases = self._views.lease(_choose_to_load(counts), token)
            if leases:
                self._views.load(sql_rows.all_likers(self._kind, list(leases)), leases, token)
        except Unavailable as error:  # the leases expire
            logger.info("views of %s are not loaded now: %s", self._kind, error.detail)


def _choose_to_load(counts: Mapping[str, int]) -> list[str]:
    """The least liked things, whose likes together are at most ``MOST_LOADED``."""
    chosen, left = [], MOST_LOADED
    for thing in sorted(counts, key=lambda each: counts[each]):
        left -= counts[thing]
        if left < 0:
            break
        chosen.append(thing)
    return chosen
