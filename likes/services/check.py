"""Check counts and repair them: SQL's counts against its rows, and Redis's against both.

The check goes over a kind's things in chunks within a time budget. It ignores differences that exist only for a moment:
SQL is compared in one snapshot, and a view only once all changes were published to it. The trap: a repair must not
race with writers. In SQL it adds the difference under the kind's lock; a view is dropped only if it is unchanged.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import inf

from django.core.cache import cache
from django.db import transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from likes import registry
from likes.core.difference import Difference
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.services import check_redis
from likes.services.count import count
from likes.services.kind_lock import lock_kind
from likes.services.storage_migration import migrate_storage
from likes.stores import sql_counts
from likes.stores.redis_views import RedisViews, ViewTotals
from likes.stores.sql_counts import CountComparison

logger = logging.getLogger(__name__)

CHUNK = 500
LOOKS = 3  # how often a view is compared that changes meanwhile


@dataclass(slots=True)
class Checked:
    """The result of a run over one kind. ``finished`` is False if the time was up first.

    ``live`` is False if Redis was unavailable, so that only SQL was checked.
    """

    kind: str
    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    finished: bool = True
    live: bool = True


def check_all(at: datetime, seconds: float, repair: bool = True, kind: str | None = None) -> list[Checked]:
    """Check every kind (or one) within ``seconds`` in total. Raises ``UnknownKind``."""
    until = clock.monotonic() + seconds
    kinds = registry.all_kinds() if kind is None else [registry.get_kind(kind)]
    return [check(likeable, at, until, repair) for likeable in kinds]


def check(likeable: Likeable, at: datetime, until: float, repair: bool) -> Checked:
    """Check one kind until ``until`` (monotonic seconds). The next run continues where this one stopped.

    That position is stored in the cache; if it is lost, the next run starts from the beginning.
    """
    migrate_storage(likeable)
    result, position = Checked(likeable.kind), _read_position(likeable) if until < inf else ""
    while things := sql_counts.things_after(likeable.kind, position, CHUNK):
        if clock.monotonic() >= until:
            result.finished = False
            break
        result.differences += _check_sql(likeable, things, repair)
        if result.live:
            result.live = _try_check_redis(result, likeable, things, at, repair)
        result.compared += len(things)
        position = things[-1]
    if result.finished and likeable.storage is Storage.REDIS:
        result.differences += check_redis.check_things_unknown_to_sql(likeable, at, repair)
    if until < inf:
        cache.set(_position_key(likeable), "" if result.finished else position, None)
    for each in result.differences:
        logger.warning("likes of %s %s differ in %s; repaired: %s", each.kind, each.thing, each.where, each.repaired)
    return result


def _try_check_redis(result: Checked, likeable: Likeable, things: Sequence[str], at: datetime, repair: bool) -> bool:
    """Check what Redis has of the things; False if it is unavailable."""
    try:
        result.differences += _CHECKS_IN_REDIS[likeable.storage](likeable, things, at, repair)
    except Unavailable as error:
        logger.info("likes of %s are not checked in Redis now: %s", likeable.kind, error.detail)
        return False
    return True


def _check_sql(likeable: Likeable, things: Sequence[str], repair: bool) -> list[Difference]:
    compared = sql_counts.compare(likeable.kind, likeable.storage, things)
    wrong = [row for row in compared if row.counted != row.likes]
    if wrong and repair:
        with transaction.atomic():
            lock_kind(likeable)
            totals = sql_counts.repair_counts(likeable.kind, likeable.storage, [row.thing for row in wrong])
            likeable.save_totals(totals)
    return [Difference(likeable.kind, row.thing, "sql", row.counted, row.likes, repair) for row in wrong]


def _check_views(likeable: Likeable, things: Sequence[str], at: datetime, repair: bool) -> list[Difference]:
    """Find and drop wrong views. A view that changed during the comparison is compared again."""
    differences: list[Difference] = []
    views = RedisViews(likeable.kind, redis.boards())
    for _ in range(LOOKS):
        before = views.inspect(things)
        compared = sql_counts.compare(likeable.kind, likeable.storage, things)
        after = views.inspect(things)
        moving: list[str] = []
        for row, first, then in zip(compared, before, after, strict=True):
            if first is None or then is None:
                continue
            where = _find_error(row, first, then)
            if where == "moving":
                moving.append(row.thing)
            elif where:
                expected = then.total if where == "set" else row.likes
                repaired = repair and views.drop_if_unchanged(row.thing, then)
                differences.append(Difference(likeable.kind, row.thing, where, then.count, expected, repaired))
        if not moving:
            break
        things = moving
        count(likeable, at)
    return differences


def _find_error(row: CountComparison, before: ViewTotals, after: ViewTotals) -> str:
    """``set`` or ``redis`` if the view is wrong there, ``moving`` if it changed meanwhile, empty if it is right."""
    if after.count != after.total:
        return "set"
    if after.count == row.likes:
        return ""
    return "moving" if row.waits or before != after else "redis"


def _check_nothing(_likeable: Likeable, _things: Sequence[str], _at: datetime, _repair: bool) -> list[Difference]:
    """For storages that have nothing in Redis."""
    return []


_CHECKS_IN_REDIS: dict[Storage, Callable[[Likeable, Sequence[str], datetime, bool], list[Difference]]] = {
    Storage.SQL: _check_nothing,
    Storage.APPEND: _check_nothing,
    Storage.HYBRID: _check_views,
    Storage.REDIS: check_redis.check_things,
}


def _read_position(likeable: Likeable) -> str:
    position = cache.get(_position_key(likeable))
    return position if isinstance(position, str) else ""


def _position_key(likeable: Likeable) -> str:
    return f"likes-check:{likeable.kind}"
