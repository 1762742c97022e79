"""Settling kinds that Redis decides over: a kind's first use, a server that restarted, memory that was lost.

A kind gets a new generation in Redis, then what SQL has and Redis lacks, and last SQL learns the generation; until
then nobody reads or writes the kind in Redis. Cut off anywhere it is run again, also twice at once.
"""

import logging
from datetime import datetime
from itertools import islice

from django.db import transaction

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.sql import may_rest
from leaderboards.core.instants import milliseconds
from leaderboards.services import settle as boards
from leaderboards.stores import generations
from likes import registry
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeKind
from likes.registry import Likeable
from likes.stores.kinds import hold_exclusive
from likes.stores.redis_settling import Kept, RedisSettler
from likes.stores.sql_states import count_anew

logger = logging.getLogger(__name__)

CHUNK = 1_000
EMPTYING_SECONDS = 600


def settle_due(at: datetime) -> int:
    """Settle the kinds that need it; returns how many were brought back. Raises what the link raises."""
    boards.greet()
    return sum(_try_settle(likeable, at) for likeable in _decided_by_redis())


def renew_all() -> None:
    """Give every kind a new generation, for a server that SQL does not know. Raises what the link raises.

    One that nobody has registered in this process is away until somebody does.
    """
    ours = _decided_by_redis()
    others = LikeKind.objects.exclude(kind__in=[likeable.kind for likeable in ours])
    others.filter(storage=Storage.REDIS).update(generation=0)
    for likeable in ours:
        _renew(likeable, distrust=True)


def _try_settle(likeable: Likeable, at: datetime) -> bool:
    """Whether the kind was settled; one that fails keeps no other waiting."""
    row, _ = LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": Storage.REDIS})
    try:
        if row.stale_since is None and not _is_present(likeable, row):
            LikeKind.objects.filter(pk=row.pk, generation=row.generation, stale_since=None).update(stale_since=at)
            row.stale_since = at
        return row.stale_since is not None and _renew(likeable)
    except Unavailable as error:
        logger.warning("likes of %s are not settled yet: %s", likeable.kind, error.detail)
        return False


def _is_present(likeable: Likeable, row: LikeKind) -> bool:
    """Whether Redis has the kind's present state."""
    memory = RedisSettler(likeable, redis.settling()).memory()
    return row.storage == Storage.REDIS and 0 < row.generation == memory.generation


def _decided_by_redis() -> list[Likeable]:
    return [likeable for likeable in registry.every() if likeable.storage is Storage.REDIS]


def _renew(likeable: Likeable, distrust: bool = False) -> bool:
    """Settle a kind behind the exclusive barrier; False if it is not needed, or Redis has a greater generation.

    Where Redis decides, memory of another generation may hold what SQL never saw: it is kept, and gets what is newer
    in SQL. Only no generation at all, or one of before the kind was kept elsewhere, is lost memory.
    """
    number = generations.draw()
    with transaction.atomic():
        hold_exclusive(likeable.kind)
        row, _ = LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": Storage.REDIS})
        settler = RedisSettler(likeable, redis.settling())
        due = distrust or row.stale_since is not None or not _is_present(likeable, row)
        if number <= row.generation or not due:
            return False
        memory, moved = settler.memory(), row.storage != Storage.REDIS
        lost = moved or memory.generation == 0
        if lost:
            may_rest(EMPTYING_SECONDS)  # all keys of the server are looked through
            # Nobody can write under no generation, so cut off here it is lost memory to whoever comes next, too.
            settler.unlink_things(lambda: failpoint("settle_likes.while_emptying"))
        if memory.generation >= number:
            generations.lift(memory.generation)  # the next run draws a greater one
            return False
        sequence = settler.renew(number, memory, empty=lost)
        if sequence is None:
            return False
        failpoint("settle_likes.after_renew")
        if moved or row.generation == 0:
            _adopt(likeable.kind)
        _restore(settler, likeable.kind, number, above=-1 if lost else sequence or -1)
        LikeKind.objects.filter(pk=row.pk).update(generation=number, storage=Storage.REDIS, stale_since=None)
        failpoint("settle_likes.before_commit")
    failpoint("settle_likes.after_generation")
    return True


def _adopt(kind: str) -> None:
    """What another storage left: changes that wait are in the rows, so the counts are made of the rows alone.

    The changes go first: whoever is counting them at this moment is waited for.
    """
    LikeChange.objects.filter(kind=kind).delete()
    count_anew(kind)


def _restore(settler: RedisSettler, kind: str, generation: int, above: int) -> None:
    """Give the kind the rows of SQL that are newer than its memory.

    By version: cut off anywhere, the sequence says how far it came; at 0 it came nowhere. Only then is it lifted: a
    memory that was thought gone may come back later, and must not have versions that were given out again meanwhile.
    """
    columns = ("thing", "player__external_id", "version", "amount", "at")
    rows = Like.objects.filter(kind=kind, version__gt=above).order_by("version", "pk").values_list(*columns)
    found = rows.iterator(chunk_size=CHUNK)
    while chunk := list(islice(found, CHUNK)):
        settler.restore(generation, [_kept(*row) for row in chunk])
        failpoint("settle_likes.while_restoring")
    settler.lift(generation)
    failpoint("settle_likes.after_lift")


def _kept(thing: str, player: str, version: int, amount: int, at: datetime) -> Kept:
    return Kept(thing, player, version, amount, milliseconds(at))
