"""Checking counts: SQL's beside its rows, and what Redis shows beside both; and putting right what still differs.

It walks over the things of a kind in chunks within a time budget. What differs in passing is no difference: SQL is
compared in one snapshot, and a view only with what it has been told of. The trap: a repair must not race a writer. In
SQL it adds the difference under the kind's lock; a view is dropped if it still is what was compared.
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
LOOKS = 3  # at a view that moves while it is looked at


@dataclass(slots=True)
class Checked:
    """What a run over one kind found; ``finished`` is False where its time was up first.

    ``live`` is False where Redis was away: SQL alone was checked.
    """

    kind: str
    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    finished: bool = True
    live: bool = True


def check_all(at: datetime, seconds: float, repair: bool = True, kind: str | None = None) -> list[Checked]:
    """Check every kind (or one) for ``seconds`` in all. Raises ``UnknownKind``."""
    until = clock.monotonic() + seconds
    kinds = registry.all_kinds() if kind is None else [registry.get_kind(kind)]
    return [check(likeable, at, until, repair) for likeable in kinds]


def check(likeable: Likeable, at: datetime, until: float, repair: bool) -> Checked:
    """Check one kind until ``until`` on the monotonic clock; a run that was cut short goes on where it stopped.

    Where it stopped is kept in the cache: forgotten, the next run begins anew.
    """
    migrate_storage(likeable)
    found, place = Checked(likeable.kind), _place(likeable) if until < inf else ""
    while things := sql_counts.things_after(likeable.kind, place, CHUNK):
        if clock.monotonic() >= until:
            found.finished = False
            break
        found.differences += _in_sql(likeable, things, repair)
        if found.live:
            found.live = _look(found, likeable, things, at, repair)
        found.compared += len(things)
        place = things[-1]
    if found.finished and likeable.storage is Storage.REDIS:
        found.differences += check_redis.check_things_unknown_to_sql(likeable, at, repair)
    if until < inf:
        cache.set(_key(likeable), "" if found.finished else place, None)
    for each in found.differences:
        logger.warning("likes of %s %s differ in %s; repaired: %s", each.kind, each.thing, each.where, each.repaired)
    return found


def _look(found: Checked, likeable: Likeable, things: Sequence[str], at: datetime, repair: bool) -> bool:
    """Whether Redis could be compared."""
    try:
        found.differences += _SHOWN[likeable.storage](likeable, things, at, repair)
    except Unavailable as error:
        logger.info("likes of %s are not checked in Redis now: %s", likeable.kind, error.detail)
        return False
    return True


def _in_sql(likeable: Likeable, things: Sequence[str], repair: bool) -> list[Difference]:
    compared = sql_counts.compare(likeable.kind, likeable.storage, things)
    wrong = [row for row in compared if row.counted != row.likes]
    if wrong and repair:
        with transaction.atomic():
            lock_kind(likeable)
            totals = sql_counts.repair_counts(likeable.kind, likeable.storage, [row.thing for row in wrong])
            likeable.save_totals(totals)
    return [Difference(likeable.kind, row.thing, "sql", row.counted, row.likes, repair) for row in wrong]


def _in_views(likeable: Likeable, things: Sequence[str], at: datetime, repair: bool) -> list[Difference]:
    """The views that are wrong. One that was told something while it was looked at is looked at again."""
    found: list[Difference] = []
    views = RedisViews(likeable.kind, redis.boards())
    for _ in range(LOOKS):
        before = views.inspect(things)
        compared = sql_counts.compare(likeable.kind, likeable.storage, things)
        after = views.inspect(things)
        moving: list[str] = []
        for row, first, then in zip(compared, before, after, strict=True):
            if first is None or then is None:
                continue
            where = _wrong(row, first, then)
            if where == "moving":
                moving.append(row.thing)
            elif where:
                expected = then.total if where == "set" else row.likes
                repaired = repair and views.drop_if_unchanged(row.thing, then)
                found.append(Difference(likeable.kind, row.thing, where, then.count, expected, repaired))
        if not moving:
            break
        things = moving
        count(likeable, at)
    return found


def _wrong(row: CountComparison, before: ViewTotals, after: ViewTotals) -> str:
    """In which place a view is wrong, or that it moves; nothing where it is right."""
    if after.count != after.total:
        return "set"
    if after.count == row.likes:
        return ""
    return "moving" if row.waits or before != after else "redis"


def _nowhere(_likeable: Likeable, _things: Sequence[str], _at: datetime, _repair: bool) -> list[Difference]:
    """SQL itself is what is shown."""
    return []


_SHOWN: dict[Storage, Callable[[Likeable, Sequence[str], datetime, bool], list[Difference]]] = {
    Storage.SQL: _nowhere,
    Storage.APPEND: _nowhere,
    Storage.HYBRID: _in_views,
    Storage.REDIS: check_redis.check_things,
}


def _place(likeable: Likeable) -> str:
    place = cache.get(_key(likeable))
    return place if isinstance(place, str) else ""


def _key(likeable: Likeable) -> str:
    return f"likes-check:{likeable.kind}"
