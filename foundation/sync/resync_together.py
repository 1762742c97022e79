"""Resync rows that share a barrier together: each step under the barrier is taken once for all of them.

A server that comes back may have many partitions of a period. One after the other, each would have the period's
writers wait for two or three exclusive barriers. What fails for one row alone leaves the others alone.
"""

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial, reduce
from operator import or_
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.expressions import CombinedExpression

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, is_only_busy
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.sync import barrier, generations, resyncing
from foundation.sync.leases import renewing_leases, stale_and_free
from foundation.sync.redis_state import RedisState
from foundation.sync.resyncing import (
    EXCLUSIVE_WAIT_SECONDS,
    AssessedState,
    Resync,
    raise_if_away,
)

logger = logging.getLogger(__name__)

MAX_TOGETHER = 32  # rows for which SQL works under one barrier
DECLARE_AFTER_SECONDS = 1.0  # so long a row that has everything waits at most for the next ones to have it too

AnyResync = TypeVar("AnyResync", bound=Resync[Any])
Assigned = list[tuple[AnyResync, AssessedState]]


def resync_each(resyncs: Iterable[AnyResync]) -> int:
    """Resync rows, in the order of the first of each barrier; returns how many were.

    Errors are logged. Raises only if SQL cannot be reached.
    """
    groups = _by_barrier(resyncs)
    return sum(group[0].try_resync() if len(group) == 1 else _try_together(group) for group in groups)


def assign_each_or_fence(resyncs: Iterable[AnyResync]) -> "Assigned[AnyResync]":
    """Give rows of an unknown server new generations; those that cannot have one now are fenced and left out."""
    assigned: Assigned[AnyResync] = []
    for group in _by_barrier(resyncs):
        if len(group) > 1:
            assigned += _assign_together_or_fence(group)
        elif (assessed := group[0].assign_generation_or_fence()) is not None:
            assigned.append((group[0], assessed))
    return assigned


def _by_barrier(resyncs: Iterable[AnyResync]) -> list[list[AnyResync]]:
    """Return the rows of each barrier, at most ``MAX_TOGETHER`` and always in the same order; others alone."""
    by_barrier: dict[Any, list[AnyResync]] = {}
    for each in resyncs:
        by_barrier.setdefault(each if each.shared_barrier is None else each.shared_barrier, []).append(each)
    ordered = [sorted(group, key=_number) for group in by_barrier.values()]
    return [group[at : at + MAX_TOGETHER] for group in ordered for at in range(0, len(group), MAX_TOGETHER)]


def _number(resync: Resync[Any]) -> Any:
    return resync.row.pk


def _try_together(resyncs: Sequence[AnyResync]) -> int:
    try:
        return _resync(resyncs)
    except (Unavailable, *CONNECTION_ERRORS) as error:
        if isinstance(error, CONNECTION_ERRORS) and not is_only_busy(error):
            raise
        logger.warning("%s and others are not resynced yet: %s", resyncs[0].row, getattr(error, "detail", error))
        return 0
    except Exception:
        logger.exception("%s and others cannot be resynced together", resyncs[0].row)
    return sum(each.try_resync() for each in resyncs)


def _resync(resyncs: Sequence[AnyResync]) -> int:
    leases = _Leases(resyncs)
    if not leases.taken:
        return 0
    try:
        with renewing_leases([leases], resyncing.LEASE_RENEWAL_SECONDS, f"resync {leases.taken[0].row} and others"):
            return _copy_and_declare(_filled(_renew_generations(leases.taken)))
    finally:
        with suppress(*CONNECTION_ERRORS):  # if it fails, the leases expire by themselves
            leases.end()


class _Leases(Generic[AnyResync]):
    """The leases of those rows, of several of one kind, that are stale and free; all in one statement each time.

    The trap: a statement that waits for one row while it has locked others may wait for one who waits for it.
    """

    def __init__(self, resyncs: Sequence[AnyResync]) -> None:
        self._first = resyncs[0]
        with transaction.atomic():
            rows = stale_and_free(_rows_of(resyncs)).select_for_update(of=("self",), skip_locked=True)
            free = {row.pk: row for row in rows}
            self._first.rows().filter(pk__in=free).update(lease_expires_at=self._first.lease_end())
        self.taken = [each for each in resyncs if each.row.pk in free]
        for each in self.taken:
            each.row = free[each.row.pk]

    def renew_lease(self) -> None:
        """Renew the leases of the rows whose generation in SQL is still the one known here."""
        self._save(self._first.lease_end())

    def end(self) -> None:
        """Give the leases back."""
        self._save(None)

    def _save(self, expires_at: CombinedExpression | None) -> None:
        same = reduce(or_, (Q(pk=each.row.pk, generation=each.row.generation) for each in self.taken))
        rows = type(self._first.row)._default_manager
        with transaction.atomic():
            free = list(rows.filter(same).select_for_update(skip_locked=True).values_list("pk", flat=True))
            rows.filter(pk__in=free).update(lease_expires_at=expires_at)


def _rows_of(resyncs: Sequence[AnyResync]) -> "QuerySet[Any]":
    return resyncs[0].rows().filter(pk__in=[each.row.pk for each in resyncs])


def _renew_generations(resyncs: Sequence[AnyResync]) -> list[tuple[AnyResync, int]]:
    """Give the rows that need it new generations, in SQL and Redis; returns those that can go on.

    With each the version above which Redis lacks what SQL has.
    """
    needed = [(each, each.attempt(each._needs_generation)) for each in resyncs]
    ready = [(each, 0) for each, is_needed in needed if is_needed is False]
    read = [(each, each.attempt(each._read_redis_state)) for each, is_needed in needed if is_needed]
    for each, assessed in _assign([(each, memory) for each, memory in read if memory is not None]):
        above = each.attempt(partial(each.install_generation, assessed))
        if above is not None:
            ready.append((each, above))
    return ready


def _assign(memories: Sequence[tuple[AnyResync, RedisState]], unknown_server: bool = False) -> "Assigned[AnyResync]":
    """Give rows new generations in SQL; returns those to which no other worker gave one meanwhile."""
    if not memories:
        return []
    drawn = [generations.next_generation_above(memory.generation) for _, memory in memories]
    before = [(each, each.row) for each, _ in memories]
    try:
        with transaction.atomic():
            memories[0][0]._lock_exclusively(EXCLUSIVE_WAIT_SECONDS)
            current = {row.pk: row for row in _rows_of([each for each, _ in memories])}
            pairs = [
                (each, each.assign_locked(current[each.row.pk], memory, generation, unknown_server))
                for (each, memory), generation in zip(memories, drawn, strict=True)
            ]
            assigned = [(each, assessed) for each, assessed in pairs if assessed is not None]
            if assigned:
                first = assigned[0][0]
                first.rows().bulk_update([each.row for each, _ in assigned], first.columns)
                first._on_staleness_saved()
            failpoint("settle.before_commit")
    except BaseException:
        for each, row in before:
            each.row = row
        raise
    failpoint("settle.after_generation")
    return assigned


def _assign_together_or_fence(resyncs: Sequence[AnyResync]) -> "Assigned[AnyResync]":
    read = [(each, each._run_or_fence(each._read_redis_state)) for each in resyncs]
    memories = [(each, memory) for each, memory in read if memory is not None]
    try:
        return _assign(memories, unknown_server=True)
    except Exception as error:
        raise_if_away(error)
        if is_only_busy(error):
            for each, _ in memories:
                each.fence(error)
            return []
        logger.warning("%s and others get generations one by one: %s", resyncs[0].row, error)
    alone = [(each, each.assign_generation_or_fence()) for each, _ in memories]
    return [(each, assessed) for each, assessed in alone if assessed is not None]


def _filled(ready: Sequence[tuple[AnyResync, int]]) -> list[tuple[AnyResync, int]]:
    """Fill the rows that need it; returns those that can go on."""
    wanting = [each for each, _ in ready if each._needs_fill()]
    filled = [each for each in wanting if each.attempt(partial(_fill, each))]
    ended = filled[0].attempt(partial(_end_fills, filled)) if filled else None
    return [(each, above) for each, above in ready if each not in wanting or each in (ended or ())]


def _fill(resync: Resync[Any]) -> bool:
    resync._fill()
    return True


def _end_fills(resyncs: Sequence[AnyResync]) -> list[AnyResync]:
    with transaction.atomic():
        resyncs[0]._lock_exclusively(barrier.MAX_WAIT_SECONDS)
        return [each for each in resyncs if each._end_fill()]


def _copy_and_declare(ready: Sequence[tuple[AnyResync, int]]) -> int:
    """Give Redis what it lacks, row by row, and declare those synced that have it, together; returns how many."""
    declared, copied, since = 0, list[AnyResync](), clock.monotonic()
    for each, above in ready:
        if each.attempt(partial(each._copy_missing, above)):
            copied.append(each)
        if copied and clock.monotonic() - since > DECLARE_AFTER_SECONDS:
            declared += _try_to_declare(copied)
            copied, since = [], clock.monotonic()
    return declared + _try_to_declare(copied)


def _try_to_declare(resyncs: Sequence[AnyResync]) -> int:
    return resyncs[0].attempt(partial(_declare, resyncs)) or 0 if resyncs else 0


def _declare(resyncs: Sequence[AnyResync]) -> int:
    with transaction.atomic():
        resyncs[0]._lock_exclusively(barrier.MAX_WAIT_SECONDS)
        synced = [each for each in resyncs if each.declare_locked()]
        if synced:
            synced[0]._on_staleness_saved()
        failpoint("settle.before_declared")
    failpoint("settle.after_declared")
    return len(synced)
