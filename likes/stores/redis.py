"""Likes that Redis decides over: the set of those who like a thing, and the count, by one script each way.

SQL follows within a second (``services/mirror.py``), and stands in for reads while Redis is away; writes are refused
then. The trap: one script touches the keys of the kind and of its things, so this storage is for a single server.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.redis.client import Argument, RedisClient, RedisSilent
from foundation.sync.redis_state import raise_if_stale
from leaderboards.core.instants import from_milliseconds, milliseconds
from likes.core.keys import KindKeys, ThingKeys
from likes.errors import LikeOutcomeUnknown, LikesUnavailable
from likes.registry import Likeable
from likes.stores import sql_rows
from likes.stores.append import COUNT
from likes.stores.base import Liker, Likers, LikeSummary
from likes.stores.kind_generation import retry_if_stale
from likes.stores.lua import script

logger = logging.getLogger(__name__)

AWAY = "What decides over these likes is away. Nothing was changed; try again."
UNKNOWN = "There was no answer in time: the like counts or not. It is safe to ask for it again."
UNKNOWN_REPEATABLE = "There was no answer in time: it counts or not. Asked for again it may count twice, so look first."
ALL = -(2**31)


def run(link: RedisClient, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script. Raises ``StaleGeneration``, or what the link raises."""
    with raise_if_stale():
        return link.run(script(name), keys, args)


def thing_keys(kind: str, thing: str) -> list[str]:
    """The keys that hold the likes of one thing."""
    keys = ThingKeys(kind, thing)
    return [keys.liked_by, keys.count, keys.amounts]


class RedisStore:
    """Likes of one kind as Redis has them."""

    def __init__(self, likeable: Likeable, link: RedisClient | None = None) -> None:
        self._kind = likeable.kind
        self._keys = KindKeys(likeable.kind)
        self._repeatable = int(likeable.repeatable)
        self._link = link or redis.boards()

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """The player likes the thing, or once more if it is repeatable."""
        return self._decide(thing, player, at, 1)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They do not like it (any more), or take one like back."""
        return self._decide(thing, player, at, -1)

    def take_back(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """They take back all of their likes of the thing, however many there are."""
        return self._decide(thing, player, at, ALL)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """Each thing as the player (or nobody) sees it: one script, or SQL while Redis is away."""
        keys = [self._keys.gen, *(key for thing in things for key in thing_keys(self._kind, thing))]
        args = (player or "", self._repeatable)
        cells = self._ask(lambda generation: run(self._link, "read", keys, [generation, *args]))
        if cells is None:
            return [replace(each, live=False) for each in sql_rows.read(self._kind, things, player, COUNT)]
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return [LikeSummary(int(count), int(own)) for count, own in pairs]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing, the newest first; from SQL while Redis is away."""
        keys = ThingKeys(self._kind, thing)
        named, args = [self._keys.gen, keys.liked_by, keys.amounts], (offset, offset + limit - 1, self._repeatable)
        cells = self._ask(lambda generation: run(self._link, "likers", named, [generation, *args]))
        if cells is None:
            return replace(sql_rows.likers(self._kind, thing, offset, limit), live=False)
        total, *rest = cells
        rows = zip(*(iter(rest),) * 3, strict=True)
        found = [Liker(player.decode(), int(amount), from_milliseconds(int(at))) for player, amount, at in rows]
        return Likers(int(total), found)

    def _decide(self, thing: str, player: str, at: datetime, how_many: int) -> LikeSummary:
        keys = [self._keys.gen, self._keys.seq, self._keys.dirty, *thing_keys(self._kind, thing)]
        args = (how_many, self._repeatable, thing, player, milliseconds(at))

        def decide(generation: int) -> Any:
            return run(self._link, "decide", keys, [generation, self._link.deadline_ms(), *args])

        try:
            count, own = retry_if_stale(self._kind, decide)
        except RedisSilent as error:
            raise LikeOutcomeUnknown(UNKNOWN_REPEATABLE if self._repeatable else UNKNOWN) from error
        except Unavailable as error:
            raise LikesUnavailable(AWAY) from error
        return LikeSummary(int(count), int(own))

    def _ask(self, question: Callable[[int], Any]) -> Any:
        """What Redis answers; None where it is away."""
        try:
            return retry_if_stale(self._kind, question)
        except Unavailable as error:
            logger.info("likes of %s are read from SQL: %s", self._kind, error.detail)
            return None
