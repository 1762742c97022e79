"""The views of a hybrid kind in Redis: who likes a thing, and the count, as SQL has committed it.

A view is of the server that it was loaded into (``run``), is told states with versions and never steps, and can be
dropped at any moment. The trap: what the scripts remember of a change (``SEEN_MS``) must outlive every loader and
everybody who may still tell an older one.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foundation.redis.client import IDENTITY_ARG, Argument, RedisClient, ScriptCall
from leaderboards.core.instants import from_milliseconds
from likes.core.keys import ThingKeys
from likes.stores.base import Liker, Likers, LikeSummary
from likes.stores.lua import script

LIVES_MS = 300_000  # and up to a tenth more or less, so that not all of a page go at once
SETS_LONGER_MS = 10_000  # a count never outlives the set that it counts
SEEN_MS = 60_000
LEASE_MS = 10_000
BATCH_EXTRA_MS = 5_000  # longer than a request, the batch may take between its reading of SQL and its telling
CALLS = 500
ROWS = 5_000


@dataclass(frozen=True, slots=True)
class LikeState:
    """What SQL has committed of a player and a thing. Of two, the one of the greater version is the later."""

    version: int
    player: str
    amount: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class ViewTotals:
    """What a view says (``count``) and holds (``total``); ``moment`` is another after every telling."""

    count: int
    total: int
    moment: bytes


class RedisViews:
    """The views of one kind."""

    def __init__(self, kind: str, link: RedisClient) -> None:
        self._kind = kind
        self._link = link

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary | None]:
        """Each thing as the player sees it, in one round trip; None without a view. Raises what the link raises."""
        read = script("view_read")
        answers = self._link.run_many(
            [ScriptCall(read, self._shown(thing), [IDENTITY_ARG, player or ""]) for thing in things]
        )
        return [None if answer is None else LikeSummary(*answer) for answer in answers]

    def likers(self, thing: str, offset: int, limit: int) -> Likers | None:
        """Who likes the thing; None without a view. Raises likewise."""
        answer = self._link.run(script("view_likers"), self._shown(thing), [IDENTITY_ARG, offset, limit])
        if answer is None:
            return None
        rows = zip(answer[1::3], answer[2::3], answer[3::3], strict=True)
        return Likers(answer[0], [Liker(name.decode(), own, from_milliseconds(int(ms))) for name, own, ms in rows])

    def deadline_ms(self) -> int:
        """Until when the batch may tell what it reads from SQL after this. Raises likewise."""
        return self._link.deadline_ms() + BATCH_EXTRA_MS

    def publish(self, thing: str, change: LikeState) -> LikeSummary | None:
        """Tell one change; how its player sees the thing after it, None without a view. Raises likewise."""
        answer = self._link.run_many([self._telling(thing, [change], self._link.deadline_ms())])[0]
        return None if answer is None else LikeSummary(*answer)

    def publish_all(self, changes: Mapping[str, Sequence[LikeState]], deadline_ms: int) -> None:
        """Tell the changes of many things. Raises likewise: some were told then."""
        calls = [self._telling(thing, changes[thing], deadline_ms) for thing in changes]
        for start in range(0, len(calls), CALLS):
            self._link.run_many(calls[start : start + CALLS])

    def lease(self, things: Sequence[str], token: str) -> dict[str, int]:
        """Those of the things that are ours to load, each with the time on Redis's clock. Raises likewise."""
        lease = script("view_lease")
        keys = [[ThingKeys(self._kind, thing).load] for thing in things]
        answers = self._link.run_many([ScriptCall(lease, key, [IDENTITY_ARG, token, LEASE_MS]) for key in keys])
        return {thing: since for thing, since in zip(things, answers, strict=True) if since is not None}

    def load(self, rows: Mapping[str, Sequence[tuple[str, int, int]]], leases: Mapping[str, int], token: str) -> None:
        """Show likers (player, amount, ms) that were read from SQL after the lease was had. Raises likewise."""
        for thing, likers in rows.items():
            for start in range(0, len(likers), ROWS):
                self._link.pipeline(list(self._filling(thing, token, likers[start : start + ROWS])))
        install = script("view_install")
        self._link.run_many(
            [ScriptCall(install, *self._installing(thing, since, token)) for thing, since in leases.items()]
        )

    def drop(self, things: Iterable[str]) -> None:
        """Have no view of these, and let none be loaded from what was read before this. Raises likewise."""
        keys = [ThingKeys(self._kind, thing) for thing in things]
        self._link.pipeline([("UNLINK", key.load, key.count, key.run, key.liked_by, key.amounts) for key in keys])

    def forget(self, things: Sequence[str], player: str) -> None:
        """Let nothing be left of a player's name. Raises likewise."""
        self.drop(things)
        keys = [ThingKeys(self._kind, thing) for thing in things]
        # In this order, since who installs a view asks ``seen`` for each whom ``seen_at`` names.
        self._link.pipeline([("ZREM", key.seen_at, player) for key in keys])
        self._link.pipeline([("HDEL", key.seen, player) for key in keys])

    def inspect(self, things: Sequence[str]) -> list[ViewTotals | None]:
        """Each view beside its own sets, in one round trip; None without a view. Raises likewise."""
        inspect = script("view_inspect")
        keys = [[*self._shown(thing), ThingKeys(self._kind, thing).seen_at] for thing in things]
        answers = self._link.run_many([ScriptCall(inspect, each, [IDENTITY_ARG]) for each in keys])
        return [None if answer is None else ViewTotals(*answer) for answer in answers]

    def drop_if_unchanged(self, thing: str, looked: ViewTotals) -> bool:
        """Drop a view if it still is as it was looked at; whether it was. Raises likewise."""
        keys = [*self._shown(thing), ThingKeys(self._kind, thing).load]
        return bool(self._link.run(script("view_drop_if_unchanged"), keys, [IDENTITY_ARG, looked.count, looked.total]))

    def _shown(self, thing: str) -> list[str]:
        keys = ThingKeys(self._kind, thing)
        return [keys.run, keys.liked_by, keys.count, keys.amounts]

    def _told(self, thing: str) -> list[str]:
        keys = ThingKeys(self._kind, thing)
        return [*self._shown(thing), keys.seen, keys.seen_at]

    def _telling(self, thing: str, changes: Sequence[LikeState], deadline_ms: int) -> ScriptCall:
        args: list[Argument] = [IDENTITY_ARG, deadline_ms, SEEN_MS, SETS_LONGER_MS]
        for each in changes:
            args += (each.version, each.player, each.amount, each.at_ms)
        return ScriptCall(script("view_apply"), self._told(thing), args)

    def _filling(self, thing: str, token: str, likers: Sequence[tuple[str, int, int]]) -> Iterable[list[Argument]]:
        liked_by, amounts = ThingKeys(self._kind, thing).loaded(token)
        several = [(player, amount) for player, amount, _ in likers if amount > 1]
        yield ["ZADD", liked_by, *(cell for player, _, ms in likers for cell in (ms, player))]
        yield ["PEXPIRE", liked_by, SEEN_MS]
        if several:
            yield ["HSET", amounts, *(cell for pair in several for cell in pair)]
            yield ["PEXPIRE", amounts, SEEN_MS]

    def _installing(self, thing: str, since: int, token: str) -> tuple[list[str], list[Any]]:
        keys = [*self._told(thing), ThingKeys(self._kind, thing).load, *ThingKeys(self._kind, thing).loaded(token)]
        lives = int(LIVES_MS * random.uniform(0.9, 1.1))  # noqa: S311 (chance against a crowd, no secret)
        return keys, [IDENTITY_ARG, token, since, lives, SETS_LONGER_MS]
