"""The ``redis`` storage: Redis decides, with one script for writes, on a set of players and a count for each thing.

SQL follows within a second (``services/mirror.py``), and answers reads while Redis is unavailable; writes are refused
then. The trap: a script uses the keys of the kind and of its things, so this storage needs a single server.
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


def run(client: RedisClient, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script. Raises ``StaleGeneration`` and Redis errors."""
    with raise_if_stale():
        return client.run(script(name), keys, args)


def thing_keys(kind: str, thing: str) -> list[str]:
    """The keys with the likes of one thing."""
    keys = ThingKeys(kind, thing, is_decided=True)
    return [keys.liked_by, keys.count, keys.amounts]


class RedisStore:
    """A ``base.Store`` for one kind."""

    def __init__(self, likeable: Likeable, client: RedisClient | None = None) -> None:
        self._kind = likeable.kind
        self._keys = KindKeys(likeable.kind)
        self._repeatable = int(likeable.repeatable)
        self._redis = client or redis.boards()

    def like(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Give a like, or one more if the kind is repeatable."""
        return self._decide(thing, player, at, 1)

    def unlike(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take a like back, if there is one."""
        return self._decide(thing, player, at, -1)

    def take_back(self, thing: str, player: str, at: datetime) -> LikeSummary:
        """Take all of the player's likes of the thing back."""
        return self._decide(thing, player, at, ALL)

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary]:
        """The likes of each thing, with the player's own: one script, or SQL while Redis is unavailable."""
        keys = [self._keys.gen, *(key for thing in things for key in thing_keys(self._kind, thing))]
        args = (player or "", self._repeatable)
        cells = self._try_read(lambda generation: run(self._redis, "read", keys, [generation, *args]))
        if cells is None:
            return [replace(each, live=False) for each in sql_rows.read(self._kind, things, player, COUNT)]
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return [LikeSummary(int(count), int(own)) for count, own in pairs]

    def likers(self, thing: str, offset: int, limit: int) -> Likers:
        """Who likes the thing, the newest first; from SQL while Redis is unavailable."""
        of_thing = ThingKeys(self._kind, thing, is_decided=True)
        keys = [self._keys.gen, of_thing.liked_by, of_thing.amounts]
        args = (offset, offset + limit - 1, self._repeatable)
        cells = self._try_read(lambda generation: run(self._redis, "likers", keys, [generation, *args]))
        if cells is None:
            return replace(sql_rows.likers(self._kind, thing, offset, limit), live=False)
        total, *rest = cells
        rows = zip(*(iter(rest),) * 3, strict=True)
        likers = [Liker(player.decode(), int(amount), from_milliseconds(int(at))) for player, amount, at in rows]
        return Likers(int(total), likers)

    def _decide(self, thing: str, player: str, at: datetime, delta: int) -> LikeSummary:
        keys = [self._keys.gen, self._keys.seq, self._keys.dirty, *thing_keys(self._kind, thing)]
        args = (delta, self._repeatable, thing, player, milliseconds(at))

        def decide(generation: int) -> Any:
            return run(self._redis, "decide", keys, [generation, self._redis.deadline_ms(self._keys.gen), *args])

        try:
            count, own = retry_if_stale(self._kind, decide)
        except RedisSilent as error:
            raise LikeOutcomeUnknown(UNKNOWN_REPEATABLE if self._repeatable else UNKNOWN) from error
        except Unavailable as error:
            raise LikesUnavailable(AWAY) from error
        return LikeSummary(int(count), int(own))

    def _try_read(self, read: Callable[[int], Any]) -> Any:
        """Redis's answer; None if it is unavailable."""
        try:
            return retry_if_stale(self._kind, read)
        except Unavailable as error:
            logger.info("likes of %s are read from SQL: %s", self._kind, error.detail)
            return None
