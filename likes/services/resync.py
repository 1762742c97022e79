"""Settling kinds that Redis decides over: a kind's first use, a server that restarted, memory that was lost.

``foundation/sync/resyncing.py`` tells how. The trap: counts live elsewhere in each storage, rows do not. Where memory
is lost, or the kind was kept another way, its counts are made of the rows first.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync.redis_state import RedisState
from foundation.sync.resyncing import AssessedState, Resync, register_server
from leaderboards.core.instants import milliseconds
from leaderboards.models import Board
from leaderboards.services.players.profiles import ERASED_PREFIX
from likes import registry
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeKind
from likes.registry import Likeable
from likes.services.kind_lock import lock_kind
from likes.stores.kind_generation import hold_exclusive
from likes.stores.redis_kind import LikeInSql, RedisKind
from likes.stores.sql_states import rebuild_counts

logger = logging.getLogger(__name__)

CHUNK = 1_000
EVERY_MARK = 10_000_000


class KindResync(Resync[LikeKind]):
    """Settling a kind."""

    def __init__(self, likeable: Likeable) -> None:
        row, _ = LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": Storage.REDIS})
        super().__init__(row)
        self._likeable = likeable
        self._redis_kind = RedisKind(likeable, redis.resync_client())

    def is_present(self) -> bool:
        """Whether Redis has the kind's present state."""
        return self.row.storage == Storage.REDIS and 0 < self.row.generation == self._read_redis_state().generation

    def _lock_exclusively(self, max_wait: float) -> None:
        hold_exclusive(self.row.kind, max_wait)

    def _read_redis_state(self) -> RedisState:
        return self._redis_kind.memory()

    def _is_lost(self, memory: RedisState) -> bool:
        """Memory of another generation may hold what SQL never saw. Lost is none at all, and what was there before the
        kind was kept elsewhere.
        """
        return self.row.needs_full_rebuild or memory.generation == 0 or self.row.storage != Storage.REDIS

    def _fence_generation(self, generation: int) -> None:
        self._redis_kind.fence_generation(generation)

    def _set_generation(self, judged: AssessedState) -> int | None:
        return self._redis_kind.set_generation(self.row.generation, judged.memory, empty=judged.lost)

    def _copy_missing(self, above: int) -> bool:
        """Give the kind the rows of SQL that are newer than its memory.

        In any order. Only when all are there versions are lifted: cut off before, all are put again. And a memory that
        was thought gone may come back later, and must not have some that were given out again.
        """
        if self.row.needs_full_rebuild:
            self._empty()
            self._adopt()
        else:
            self._take_out_erased(above)
        newer = Like.objects.filter(kind=self.row.kind, version__gt=above or -1).order_by("pk")
        highest = newer.aggregate(highest=Max("version"))["highest"] or 0
        rows, last = newer.values_list("pk", "thing", "player__external_id", "amount", "at"), 0
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            last = chunk[-1][0]
            self._redis_kind.restore(self.row.generation, [_kept(*row[1:]) for row in chunk])
            failpoint("settle_likes.while_restoring")
        self._redis_kind.raise_sequence(self.row.generation, highest)
        failpoint("settle_likes.after_lift")
        return True

    def _resynced_fields(self) -> dict[str, Any]:
        return {"storage": Storage.REDIS}

    def _take_out_erased(self, above: int) -> None:
        """In a memory from before an erasure: those who have no row in SQL, since it may name one whose name is gone.

        Whatever Redis had when the name went, SQL had been given (``services/forget.py``).
        """
        rows = Like.objects.filter(kind=self.row.kind)
        if not rows.filter(version__gt=above, amount=0, player__external_id__startswith=ERASED_PREFIX).exists():
            return
        marks = self._redis_kind.dirty(self.row.generation, EVERY_MARK)[1]
        for start in range(0, len(marks), CHUNK):
            some = marks[start : start + CHUNK]
            named = rows.filter(thing__in={m.thing for m in some}, player__external_id__in={m.player for m in some})
            known = set(named.values_list("thing", "player__external_id"))
            self._redis_kind.clear_dirty(self.row.generation, [m for m in some if (m.thing, m.player) not in known])
        for things in self._redis_kind.things():
            for thing in things:
                for players in self._redis_kind.players(thing):
                    liked = rows.filter(thing=thing, player__external_id__in=players)
                    unknown = set(players) - set(liked.values_list("player__external_id", flat=True))
                    self._redis_kind.restore(
                        self.row.generation, [LikeInSql(thing, each, 0, 0) for each in sorted(unknown)]
                    )

    def _empty(self) -> None:
        """What Redis had of the kind's things goes."""
        for keys in self._redis_kind.keys_of_things():
            self._redis_kind.drop(self.row.generation, keys)
            failpoint("settle_likes.while_emptying")

    def _adopt(self) -> None:
        """What waits to be counted is in the rows. The changes go first: who is counting them is waited for."""
        with transaction.atomic():
            lock_kind(self._likeable)
            LikeChange.objects.filter(kind=self.row.kind).delete()
            rebuild_counts(self.row.kind)
            self.renew_lease()


def _kept(thing: str, player: str, amount: int, at: datetime) -> LikeInSql:
    return LikeInSql(thing, player, amount, milliseconds(at))


def resync_due(at: datetime) -> int:
    """Settle the kinds that need it; returns how many were brought back. Raises what the link raises."""
    register_server()
    return sum(_settle_if_due(KindResync(likeable), at) for likeable in _decided_by_redis())


def all_kinds_to_resync() -> Iterable[KindResync]:
    """All kinds that a server which nobody knows may remember.

    One that nobody has registered in this process gets a new generation too, and is away until somebody settles it.
    """
    ours = {likeable.kind: likeable for likeable in _decided_by_redis()}
    there = LikeKind.objects.filter(storage=Storage.REDIS).values_list("kind", flat=True)
    others = {kind: Likeable(kind, boards=_unknown, storage=Storage.REDIS) for kind in there}
    return [KindResync(likeable) for likeable in {**others, **ours}.values()]


def _settle_if_due(kind: KindResync, at: datetime) -> bool:
    """Whether the kind was settled; one that fails keeps no other waiting."""
    try:
        if kind.row.stale_since is None:
            if kind.is_present():
                return False
            kind.mark_stale(at)
    except Unavailable as error:
        logger.warning("likes of %s are not settled yet: %s", kind.row, error.detail)
        return False
    return kind.try_resync()


def _unknown(_things: Collection[str]) -> dict[str, Board | None]:
    return {}


def _decided_by_redis() -> list[Likeable]:
    return [likeable for likeable in registry.all_kinds() if likeable.storage is Storage.REDIS]
