"""Likes that SQL decides over and Redis shows: appended as in ``append.py``, then told to a view (``redis_views.py``).

Redis away: SQL answers, and nothing waits. Writers whose telling fails leave it to the batch, which tells every change
again before it counts it. The trap: a transaction sees what nobody else does yet, so inside one SQL alone answers,
and the view is told when it has committed.
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

MOST_LOADED = 50_000  # likes of a page's things that one request loads: half a second; beyond it SQL answers


class HybridStore:
    """Likes of one kind; keeps the contract of ``base.Store``."""

    def __init__(self, likeable: Likeable, link: RedisClient | None = None) -> None:
        self._kind = likeable.kind
        self._sql = AppendStore(likeable)
        self._views = RedisViews(likeable.kind, link or redis.boards())

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """The player likes the thing. Raises ``LikesUnavailable`` or ``LikeOutcomeUnknown``."""
        failpoint("like.before_commit")
        changed = self._sql.add(thing, player, at)
        return self._after(thing, player, changed) if changed else self._as_it_was(thing, player, 1)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They take a like back. Raises likewise."""
        failpoint("like.before_commit")
        changed = self._sql.take(thing, player, at)
        return self._after(thing, player, changed) if changed else self._as_it_was(thing, player, 0)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """Each thing as the player sees it: one round trip where there are views. Raises ``SqlAway``."""
        if connection.in_atomic_block:
            return self._sql.read(things, player)
        try:
            found = dict(zip(things, self._views.read(things, player), strict=True))
        except Unavailable as error:
            logger.info("likes of %s are read from SQL: %s", self._kind, error.detail)
            return [replace(shown, live=False) for shown in self._sql.read(things, player)]
        missing = [thing for thing, shown in found.items() if shown is None]
        loaded = dict(zip(missing, self._sql.read(missing, player), strict=True))
        self._load({thing: shown.count for thing, shown in loaded.items()})
        return [found[thing] or loaded[thing] for thing in things]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing. Raises ``SqlAway``."""
        if connection.in_atomic_block:
            return self._sql.likers(thing, offset, limit)
        try:
            found = self._views.likers(thing, offset, limit)
        except Unavailable:
            return replace(self._sql.likers(thing, offset, limit), live=False)
        return found or self._sql.likers(thing, offset, limit)

    def _as_it_was(self, thing: str, player: str, own: int) -> LikeSummary:
        """Where nothing changed. A view may not have heard of their earlier change yet: then SQL answers."""
        shown = self.read([thing], player)[0]
        return shown if shown.own == own else replace(self._sql.read([thing], player)[0], live=shown.live)

    def _after(self, thing: str, player: str, changed: ChangedLike) -> LikeSummary:
        told = LikeState(changed.note, player, changed.amount, changed.at_ms)
        if connection.in_atomic_block:
            transaction.on_commit(lambda: self._tell(thing, told))
            return self._sql.read([thing], player)[0]
        failpoint("like.after_commit")
        shown, live = self._tell(thing, told)
        failpoint("like.after_put")
        return shown or replace(self._sql.read([thing], player)[0], live=live)

    def _tell(self, thing: str, told: LikeState) -> tuple[LikeSummary | None, bool]:
        """How the view shows it, where there is one; whether Redis was told."""
        try:
            return self._views.publish(thing, told), True
        except Unavailable as error:
            logger.info("a like of %s is left to the batch: %s", self._kind, error.detail)
            return None, False

    def _load(self, counts: Mapping[str, int]) -> None:
        """Load the views of things that have none, as many as a request may; others who want them read SQL."""
        token = secrets.token_hex(8)
        try:
            leases = self._views.lease(_few(counts), token)
            if leases:
                self._views.load(sql_rows.all_likers(self._kind, list(leases)), leases, token)
        except Unavailable as error:  # the leases end by themselves
            logger.info("views of %s are not loaded now: %s", self._kind, error.detail)


def _few(counts: Mapping[str, int]) -> list[str]:
    """The things whose likes together are no more than a request loads, the least liked first."""
    chosen, left = [], MOST_LOADED
    for thing in sorted(counts, key=lambda each: counts[each]):
        left -= counts[thing]
        if left < 0:
            break
        chosen.append(thing)
    return chosen
