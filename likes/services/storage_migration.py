"""Move a kind to another storage: rebuild its counts from its rows before anything is counted in the new storage.

Each storage keeps its counts elsewhere, while all share the rows. Likes that only Redis has are mirrored first, under
the generation that Redis has; waiting changes are in the rows already, and old views are dropped (``pending_publish``).
The trap: while Redis is unavailable it may have likes that SQL lacks, so the move is not finished until it answers.
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
    """Rebuild the counts of a kind that SQL decides, if its storage changed. A move to Redis is done by the resync."""
    moved = LikeKind.objects.filter(kind=likeable.kind).exclude(storage=likeable.storage)
    row = moved.first()
    if likeable.storage == Storage.REDIS or row is None:
        return
    is_complete = row.storage != Storage.REDIS or _drain_redis(likeable)
    with transaction.atomic():
        lock_kind(likeable)
        _rebuild_counts(likeable)
        if is_complete:
            moved.update(storage=likeable.storage, generation=0, stale_since=None)


def _drain_redis(likeable: Likeable) -> bool:
    """Copy the likes that only Redis has to SQL, and delete the kind in Redis; False while Redis is unavailable."""
    try:
        mirroring.drain(likeable)
        RedisKind(likeable, redis.boards()).drop_all()
    except Unavailable as error:
        logger.warning("likes of %s that only Redis has wait for it: %s", likeable.kind, error.detail)
        return False
    return True


def _rebuild_counts(likeable: Likeable) -> None:
    LikeChange.objects.filter(kind=likeable.kind).delete()
    last = ""
    while things := things_after(likeable.kind, last, CHUNK):
        likeable.save_totals(repair_counts(likeable.kind, likeable.storage, things))
        last = things[-1]
    if likeable.storage == Storage.HYBRID:
        LikeCount.objects.filter(kind=likeable.kind).update(pending_publish=True)
