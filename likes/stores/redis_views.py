"""The views of a hybrid kind in Redis: who likes a thing, and the count, as SQL has committed them.

A view is valid only on the server into which it was loaded (``run``). It receives states with versions, never
deltas, and can be dropped at any time. The trap: the scripts remember published changes for ``SEEN_MS``, which must be
longer than any loader runs, and than anybody may still publish an older change.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foundation.errors import Unavailable
from foundation.redis.client import IDENTITY_ARG, Argument, RedisClient, ScriptCall
from leaderboards.core.instants import from_milliseconds
from likes.core.keys import ThingKeys
from likes.stores.base import Liker, Likers, LikeSummary
from likes.stores.lua import script

LIVES_MS = 300_000  # up to a tenth more or less, so that the views of a page do not expire together
SETS_LONGER_MS = 10_000  # the sets of a view expire later than its count
SEEN_MS = 60_000
LEASE_MS = 10_000
BATCH_EXTRA_MS = 5_000  # how much longer than a request a batch may take from reading SQL to publishing
CALLS = 500
ROWS = 5_000


@dataclass(frozen=True, slots=True)
class LikeState:
    """A committed state of a player's like of a thing; the greater version is the later state."""

    version: int
    player: str
    amount: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class ViewTotals:
    """A view's ``count``, and the ``total`` of its sets; ``moment`` changes with every publication."""

    count: int
    total: int
    moment: bytes


class RedisViews:
    """The views of one kind. Every method may raise Redis errors."""

    def __init__(self, kind: str, client: RedisClient) -> None:
        self._kind = kind
        self._redis = client

    def read(self, things: Sequence[str], player: str | None) -> list[LikeSummary | None]:
        """The likes of each thing, with the player's own, in one round trip; None for a thing without a view."""
        read = script("view_read")
        answers = self._redis.run_many(
            [ScriptCall(read, self._view_keys(thing), [IDENTITY_ARG, player or ""]) for thing in things]
        )
        return [None if answer is None else LikeSummary(*answer) for answer in answers]

    def likers(self, thing: str, offset: int, limit: int) -> Likers | None:
        """Who likes the thing; None without a view."""
        answer = self._redis.run(script("view_likers"), self._view_keys(thing), [IDENTITY_ARG, offset, limit])
        if answer is None:
            return None
        rows = zip(answer[1::3], answer[2::3], answer[3::3], strict=True)
        return Likers(answer[0], [Liker(name.decode(), own, from_milliseconds(int(ms))) for name, own, ms in rows])

    def publish(self, thing: str, change: LikeState) -> LikeSummary | None:
        """Publish one change; return the thing's likes for its player, None without a view."""
        deadline = self._redis.deadline_ms(ThingKeys(self._kind, thing).run)
        answer = self._redis.run_many([self._apply_call(thing, [change], deadline)])[0]
        return None if answer is None else LikeSummary(*answer)

    def publish_all(self, changes: Mapping[str, Sequence[LikeState]], read_since: float) -> None:
        """Publish the changes of many things, read from SQL after ``read_since`` (monotonic seconds).

        Later than ``BATCH_EXTRA_MS`` beyond a request's deadline since then, Redis refuses them. After an error some
        may have been published.
        """
        calls, errors = [], list[Unavailable]()
        for thing, states in changes.items():
            try:
                deadline = self._redis.deadline_ms(ThingKeys(self._kind, thing).run, read_since) + BATCH_EXTRA_MS
            except Unavailable as error:  # of a cluster, the server of this thing
                errors.append(error)
                continue
            calls.append(self._apply_call(thing, states, deadline))
        for start in range(0, len(calls), CALLS):
            self._redis.run_many(calls[start : start + CALLS])
        if errors:
            raise errors[0]

    def lease(self, things: Sequence[str], token: str) -> dict[str, int]:
        """Lease the views of things for loading; return the leased things, each with the time on Redis's clock."""
        lease = script("view_lease")
        keys = [[ThingKeys(self._kind, thing).load] for thing in things]
        answers = self._redis.run_many([ScriptCall(lease, key, [IDENTITY_ARG, token, LEASE_MS]) for key in keys])
        return {thing: since for thing, since in zip(things, answers, strict=True) if since is not None}

    def load(self, rows: Mapping[str, Sequence[tuple[str, int, int]]], leases: Mapping[str, int], token: str) -> None:
        """Load views with likers (player, amount, ms) that were read from SQL after the lease began."""
        for thing, likers in rows.items():
            for start in range(0, len(likers), ROWS):
                self._redis.pipeline(list(self._fill_commands(thing, token, likers[start : start + ROWS])))
        install = script("view_install")
        self._redis.run_many(
            [ScriptCall(install, *self._install_arguments(thing, since, token)) for thing, since in leases.items()]
        )

    def drop(self, things: Iterable[str]) -> None:
        """Drop the views of these things, and cancel loads that have begun."""
        keys = [ThingKeys(self._kind, thing) for thing in things]
        self._redis.pipeline([("UNLINK", key.load, key.count, key.run, key.liked_by, key.amounts) for key in keys])

    def forget(self, things: Sequence[str], player: str) -> None:
        """Remove a player's name from everything about these things."""
        self.drop(things)
        keys = [ThingKeys(self._kind, thing) for thing in things]
        # In this order, because installing a view reads ``seen`` for each player in ``seen_at``.
        self._redis.pipeline([("ZREM", key.seen_at, player) for key in keys])
        self._redis.pipeline([("HDEL", key.seen, player) for key in keys])

    def inspect(self, things: Sequence[str]) -> list[ViewTotals | None]:
        """The totals of each view, in one round trip; None without a view."""
        inspect = script("view_inspect")
        keys = [[*self._view_keys(thing), ThingKeys(self._kind, thing).seen_at] for thing in things]
        answers = self._redis.run_many([ScriptCall(inspect, each, [IDENTITY_ARG]) for each in keys])
        return [None if answer is None else ViewTotals(*answer) for answer in answers]

    def drop_if_unchanged(self, thing: str, looked: ViewTotals) -> bool:
        """Drop a view if its totals are still ``looked``; return whether it was dropped."""
        keys = [*self._view_keys(thing), ThingKeys(self._kind, thing).load]
        return bool(self._redis.run(script("view_drop_if_unchanged"), keys, [IDENTITY_ARG, looked.count, looked.total]))

    def _view_keys(self, thing: str) -> list[str]:
        keys = ThingKeys(self._kind, thing)
        return [keys.run, keys.liked_by, keys.count, keys.amounts]

    def _view_and_seen_keys(self, thing: str) -> list[str]:
        keys = ThingKeys(self._kind, thing)
        return [*self._view_keys(thing), keys.seen, keys.seen_at]

    def _apply_call(self, thing: str, changes: Sequence[LikeState], deadline_ms: int) -> ScriptCall:
        args: list[Argument] = [IDENTITY_ARG, deadline_ms, SEEN_MS, SETS_LONGER_MS]
        for each in changes:
            args += (each.version, each.player, each.amount, each.at_ms)
        return ScriptCall(script("view_apply"), self._view_and_seen_keys(thing), args)

    def _fill_commands(
        self, thing: str, token: str, likers: Sequence[tuple[str, int, int]]
    ) -> Iterable[list[Argument]]:
        liked_by, amounts = ThingKeys(self._kind, thing).loaded(token)
        several = [(player, amount) for player, amount, _ in likers if amount > 1]
        yield ["ZADD", liked_by, *(cell for player, _, ms in likers for cell in (ms, player))]
        yield ["PEXPIRE", liked_by, SEEN_MS]
        if several:
            yield ["HSET", amounts, *(cell for pair in several for cell in pair)]
            yield ["PEXPIRE", amounts, SEEN_MS]

    def _install_arguments(self, thing: str, since: int, token: str) -> tuple[list[str], list[Any]]:
        keys = [
            *self._view_and_seen_keys(thing),
            ThingKeys(self._kind, thing).load,
            *ThingKeys(self._kind, thing).loaded(token),
        ]
        lives = int(LIVES_MS * random.uniform(0.9, 1.1))  # noqa: S311 - jitter, no secret
        return keys, [IDENTITY_ARG, token, since, lives, SETS_LONGER_MS]
