"""Resync the kinds that Redis decides: on a kind's first use, after a restart, and after data was lost.

``foundation/sync/resyncing.py`` has the procedure. The trap: each storage keeps its counts elsewhere, while all share
the rows. After a loss, or a change of storage, the counts are first rebuilt from the rows.
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
from foundation.sync.registering import HasKey, register_server
from foundation.sync.resyncing import AssessedState, Resync
from leaderboards.core.erased_ids import ERASED_PREFIX
from leaderboards.core.instants import milliseconds
from leaderboards.models import Board
from likes import registry
from likes.core.keys import KindKeys
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
    """The resync of one kind."""

    def __init__(self, likeable: Likeable) -> None:
        row, _ = LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": Storage.REDIS})
        super().__init__(row)
        self._likeable = likeable
        self._redis_kind = RedisKind(likeable, redis.resync_client())

    def is_present(self) -> bool:
        """Whether Redis has the kind's current generation."""
        return self.row.storage == Storage.REDIS and 0 < self.row.generation == self._read_redis_state().generation

    def _lock_exclusively(self, max_wait: float) -> None:
        hold_exclusive(self.row.kind, max_wait)

    def _read_redis_state(self) -> RedisState:
        return self._redis_kind.memory()

    def _is_lost(self, memory: RedisState) -> bool:
        """Whether Redis's data must be discarded: there is none, or it is from before a change of storage.

        Data of another generation is not lost: it may contain likes that SQL never saw.
        """
        return self.row.needs_full_rebuild or memory.generation == 0 or self.row.storage != Storage.REDIS

    def _fence_generation(self, generation: int) -> None:
        self._redis_kind.fence_generation(generation)

    def _set_generation(self, judged: AssessedState) -> int | None:
        return self._redis_kind.set_generation(self.row.generation, judged.memory, empty=judged.lost)

    def _copy_missing(self, above: int) -> bool:
        """Copy SQL's rows that are newer than ``above`` to Redis, in any order.

        The sequence is raised only after all rows: if this is interrupted, all are copied again. It also ensures that
        data that seemed lost and comes back later does not contain versions that were assigned again.
        """
        if self.row.needs_full_rebuild:
            self._delete_things()
            self._rebuild_counts()
        else:
            self._remove_erased(above)
        newer = Like.objects.filter(kind=self.row.kind, version__gt=above or -1).order_by("pk")
        highest = newer.aggregate(highest=Max("version"))["highest"] or 0
        rows, last = newer.values_list("pk", "thing", "player__external_id", "amount", "at"), 0
        while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
            last = chunk[-1][0]
            self._redis_kind.restore(self.row.generation, [_to_like(*row[1:]) for row in chunk])
            failpoint("settle_likes.while_restoring")
        self._redis_kind.raise_sequence(self.row.generation, highest)
        failpoint("settle_likes.after_lift")
        return True

    def _resynced_fields(self) -> dict[str, Any]:
        return {"storage": Storage.REDIS}

    def _remove_erased(self, above: int) -> None:
        """Remove likes of players without a row in SQL, if Redis's data is from before an erasure.

        Such data may contain an erased player's old name. Nothing else is lost: before the name was removed, all of
        Redis's likes were copied to SQL (``services/forget.py``).
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

    def _delete_things(self) -> None:
        """Delete the keys of the kind's things in Redis."""
        for keys in self._redis_kind.keys_of_things():
            self._redis_kind.drop(self.row.generation, keys)
            failpoint("settle_likes.while_emptying")

    def _rebuild_counts(self) -> None:
        """Rebuild SQL's counts from the rows, which include the waiting changes. The lock waits for running counts."""
        with transaction.atomic():
            lock_kind(self._likeable)
            LikeChange.objects.filter(kind=self.row.kind).delete()
            rebuild_counts(self.row.kind)
            self.renew_lease()


def _to_like(thing: str, player: str, amount: int, at: datetime) -> LikeInSql:
    return LikeInSql(thing, player, amount, milliseconds(at))


def resync_due(at: datetime) -> int:
    """Resync the kinds that need it; return how many. Raises Redis errors."""
    register_server()
    return sum(_resync_if_due(KindResync(likeable), at) for likeable in _decided_by_redis())


def all_kinds_to_resync(is_there: HasKey) -> Iterable[KindResync]:
    """All kinds of which an unknown server may have data.

    Kinds that are not registered in this process get a new generation too; they are unavailable until a process with
    the kind resyncs them.
    """
    registered = {likeable.kind: likeable for likeable in _decided_by_redis()}
    stored = LikeKind.objects.filter(storage=Storage.REDIS).values_list("kind", flat=True)
    others = {kind: Likeable(kind, boards=_no_boards, storage=Storage.REDIS) for kind in stored}
    return [KindResync(each) for each in {**others, **registered}.values() if is_there(KindKeys(each.kind).gen)]


def _resync_if_due(kind: KindResync, at: datetime) -> bool:
    """Resync the kind if needed; return whether it was. If Redis is unavailable for one kind, the others continue."""
    try:
        if kind.row.stale_since is None:
            if kind.is_present():
                return False
            kind.mark_stale(at)
    except Unavailable as error:
        logger.warning("likes of %s are not resynced yet: %s", kind.row, error.detail)
        return False
    return kind.try_resync()


def _no_boards(_things: Collection[str]) -> dict[str, Board | None]:
    return {}


def _decided_by_redis() -> list[Likeable]:
    return [likeable for likeable in registry.all_kinds() if likeable.storage is Storage.REDIS]
