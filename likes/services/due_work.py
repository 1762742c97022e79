"""Find out each second whether any kind must be counted, mirrored or resynced (``foundation/worker/due.py``)."""

from django.db import connection

from foundation.redis import client as redis
from foundation.sync.mirroring import record_idle_run
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeKind
from likes.registry import Likeable
from likes.selectors.lag import MIRROR
from likes.stores.redis_kind import read_due_state

COUNT_TASK, MIRROR_TASK, SETTLE_TASK = TASKS = (
    "likes.tasks.count",
    "likes.tasks.mirror_likes",
    "likes.tasks.settle_likes",
)
_WAITING = (
    "SELECT EXISTS (SELECT 1 FROM likes_likechange) OR EXISTS (SELECT 1 FROM likes_likecount WHERE pending_publish)"
    " OR EXISTS (SELECT 1 FROM likes_likeshard WHERE dirty)"
)


def find_due_work() -> list[str]:
    """The names of the tasks that have work to do. Raises Redis errors."""
    kinds, rows = registry.all_kinds(), {row.kind: row for row in LikeKind.objects.all()}
    in_redis = [each for each in kinds if each.storage is Storage.REDIS]
    moved = any(each.kind in rows and rows[each.kind].storage != each.storage for each in kinds if each not in in_redis)
    names = [COUNT_TASK] if moved or _is_waiting() else []
    return [*names, *_due_in_redis(in_redis, rows)] if in_redis else names


def _due_in_redis(kinds: list[Likeable], rows: dict[str, LikeKind]) -> list[str]:
    generations, dirty = read_due_state(redis.resync_client(), [each.kind for each in kinds])
    names = [MIRROR_TASK] if dirty else []
    if not all(_is_present(rows.get(each.kind), there) for each, there in zip(kinds, generations, strict=True)):
        names.append(SETTLE_TASK)
    if not names:
        record_idle_run(MIRROR)
    return names


def _is_present(row: LikeKind | None, there: int) -> bool:
    """Whether Redis has the kind's current generation (``there``), and the kind is not stale."""
    if row is None or row.storage != Storage.REDIS or row.stale_since is not None:
        return False
    return 0 < row.generation == there


def _is_waiting() -> bool:
    """Whether SQL has likes that are not counted, saved or published."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        return bool(cursor.fetchone()[0])
