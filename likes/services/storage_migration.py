"""A kind that is kept another way than before: its counts are made of its rows, before anybody counts in the new place.

Counts live elsewhere in each storage, rows do not. What only Redis had is mirrored first, under whatever generation
it was written; what waits to be counted is in the rows, and views of earlier are dropped (``pending_publish``). The
trap: while
Redis is away nobody knows whether it has likes that SQL lacks, so the kind has not moved until it was asked.
"""

import logging

from django.db import transaction

from foundation.errors import Unavailable
from foundation.redis import client as redis
from likes.core.kinds import Storage
from likes.models import LikeChange, LikeCount, LikeKind
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.services.kind_lock import lock_kind
from likes.stores.redis_kind import RedisKind
from likes.stores.sql_counts import repair_counts, things_after

logger = logging.getLogger(__name__)

CHUNK = 500


def migrate_storage(likeable: Likeable) -> None:
    """Make the counts of a kind that SQL decides over and that moved here. Nothing where it did not move."""
    moved = LikeKind.objects.filter(kind=likeable.kind).exclude(storage=likeable.storage)
    row = moved.first()
    if likeable.storage == Storage.REDIS or row is None:
        return
    all_here = row.storage != Storage.REDIS or _follows(likeable)
    with transaction.atomic():
        lock_kind(likeable)
        _count_anew(likeable)
        if all_here:
            moved.update(storage=likeable.storage, generation=0, stale_since=None)


def _follows(likeable: Likeable) -> bool:
    """Let SQL have what only Redis has, and Redis forget the kind; False while nobody can ask it."""
    try:
        mirroring.drain(likeable)
        RedisKind(likeable, redis.boards()).drop_all()
    except Unavailable as error:
        logger.warning("likes of %s that only Redis has wait for it: %s", likeable.kind, error.detail)
        return False
    return True


def _count_anew(likeable: Likeable) -> None:
    LikeChange.objects.filter(kind=likeable.kind).delete()
    place = ""
    while things := things_after(likeable.kind, place, CHUNK):
        likeable.save_totals(repair_counts(likeable.kind, likeable.storage, things))
        place = things[-1]
    if likeable.storage == Storage.HYBRID:
        LikeCount.objects.filter(kind=likeable.kind).update(pending_publish=True)
