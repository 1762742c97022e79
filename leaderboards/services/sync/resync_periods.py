"""Resync periods (the steps are in ``foundation/sync/resyncing.py``), and find each second which ones need it.

Where SQL decides, Redis's memory has a watermark, and lacks only what later transactions wrote
(``mark_changed_since``).
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from math import inf
from typing import Any

from django.db.models import QuerySet

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.sync.redis_state import RedisState
from foundation.sync.registering import HasKey, register_server
from foundation.sync.resync_together import resync_each
from foundation.sync.resyncing import AssessedState, Resync
from leaderboards.models import (
    ACTIVE_STATES,
    IN_REDIS,
    Part,
    Partition,
    Period,
    PeriodState,
    Standing,
    Storage,
    standings_of,
)
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.reconcile import (
    end_full_rebuild,
    fill_emptied,
    mark_changed_since,
    publish_pending,
    reconcile,
    watermark,
)
from leaderboards.services.sync.restore import restore
from leaderboards.services.sync.staleness import note_stale_parts, stale_parts
from leaderboards.stores.redis.sync import ZsetSync

logger = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.5  # between two commits of how far a resync is: each costs as much as a chunk
WATERMARK_SECONDS = 5  # between two watermarks of a period: a memory that comes back lacks so much more
WATERMARK_TRANSACTIONS = 100  # with fewer new SQL transactions no watermark is written each second
OnProgress = Callable[[Part], None]
_watermarks: dict[str, tuple[int, int]] = {}  # by family: generation and watermark that this process wrote last


class PeriodResync(Resync[Part]):
    """The resync of a family of a period.

    After each chunk ``on_progress`` is called with it (see its ``rebuild_progress``).
    """

    columns = (*Resync.columns, "rebuild_progress", "emptied_generation")

    def __init__(self, part: Part, on_progress: OnProgress = lambda _: None) -> None:
        super().__init__(part)
        self._on_progress = on_progress
        self._progress_saved_at = -inf
        self._store = ZsetSync(redis.resync_client())

    @property
    def _redis_decides(self) -> bool:
        return self.row.board.storage == Storage.REDIS

    @property
    def shared_barrier(self) -> int | None:
        """The period, if it is divided."""
        return self.row.period_id if isinstance(self.row, Partition) else None

    def _lock_exclusively(self, max_wait: float) -> None:
        barrier.hold_exclusive(self.row.period_id, max_wait=max_wait)

    def rows(self) -> QuerySet[Any]:
        """Query periods with their boards, or partitions with both."""
        if isinstance(self.row, Partition):
            return Partition.objects.select_related("period__board")
        return Period.objects.select_related("board")

    def _read_redis_state(self) -> RedisState:
        return self._store.read_state(self.row)

    def _is_read_from_redis(self) -> bool:
        return self.row.state in ACTIVE_STATES  # final ones are read from SQL

    def _blocks_writes_while_stale(self) -> bool:
        return self._redis_decides

    def _needs_generation(self) -> bool:
        """Where SQL decides, memory of the current generation lacks only what is marked or announced."""
        return (
            self._redis_decides
            or self.row.needs_full_rebuild
            or self._read_redis_state().generation != self.row.generation
        )

    def _is_lost(self, memory: RedisState) -> bool:
        """Whether the memory must be emptied.

        Where Redis decides, any existing memory is kept, since it may hold what SQL never saw. Where SQL decides, it
        must be of the last full rebuild or later, and have a watermark that is not ahead of SQL.
        """
        if self._redis_decides:
            return self.row.needs_full_rebuild or memory.generation == 0
        is_since_rebuild = (
            memory.generation > 0 and self.row.emptied_generation <= memory.generation <= self.row.generation
        )
        return self.row.needs_full_rebuild or not is_since_rebuild or not 0 < memory.watermark <= watermark()

    def _on_marked_stale(self) -> None:
        note_stale_parts(self.row)
        invalidate_readers(self.row.period)

    def note_staleness(self) -> None:
        """Note on the period what its partitions say, and tell its readers. If it is locked, only log that."""
        try:
            self._on_marked_stale()
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("period %s hears later which of its partitions are stale: %s", self.row.period, error)

    def _on_staleness_saved(self) -> None:
        note_stale_parts(self.row)

    def _on_new_generation(self, assessed: AssessedState) -> None:
        self.row.rebuild_progress = 0
        if assessed.lost:
            self.row.emptied_generation = self.row.generation

    def _fence_generation(self, generation: int) -> None:
        self._store.fence_generation(self.row, generation)

    def _set_generation(self, assessed: AssessedState) -> int | None:
        """Where SQL decides, mark the rows that are newer than the watermark; then give Redis the generation."""
        if not assessed.lost and not self._redis_decides:
            mark_changed_since(self.row, assessed.memory.watermark)
            failpoint("settle.after_marked")
        return self._store.set_generation(self.row, self.row.generation, assessed.memory, empty=assessed.lost)

    def _needs_fill(self) -> bool:
        return self.row.needs_full_rebuild and not self._redis_decides

    def _fill(self) -> None:
        fill_emptied(self.row, self._add_progress)

    def _end_fill(self) -> bool:
        return end_full_rebuild(self.row)

    def _copy_missing(self, above: int) -> bool:
        """Copy what is newer in SQL where Redis decides; else marked and announced rows."""
        if self._redis_decides:
            restore(self.row, above, self._add_progress)
            return True
        publish_pending(self.row, self._add_progress)
        reconcile(self.row)
        return True

    def _is_complete(self) -> bool:
        return not standings_of(self.row).filter(pending_publish=True).exists()

    def _add_progress(self, rows: int) -> None:
        self.row.rebuild_progress += rows
        if clock.monotonic() - self._progress_saved_at >= PROGRESS_SECONDS:
            self.row.same_generation.update(rebuild_progress=self.row.rebuild_progress)
            self._progress_saved_at = clock.monotonic()
        self._on_progress(self.row)


def resync_due(at: datetime) -> int:
    """Reconcile and resync every period that needs it; returns how many were resynced.

    Raises what the client raises if Redis cannot be reached.
    """
    register_server()
    parts = parts_of(active_periods())
    _note_staleness(parts)
    _check_and_reconcile(parts, at)
    has_partitions = any(isinstance(part, Partition) for part in parts)
    due = sorted(stale_parts(has_partitions), key=_accepts_scores_meanwhile)
    resynced = resync_each(map(PeriodResync, due))
    advance_watermark(parts, at)
    return resynced


def _accepts_scores_meanwhile(part: Part) -> bool:
    """Whether a period takes scores while it is stale: the others go first."""
    return part.board.storage != Storage.REDIS


def resync_now(period: Period) -> bool:
    """Resync a period without waiting for the worker; errors of Redis are logged, and the result is False."""
    try:
        register_server()
    except Unavailable as error:
        logger.warning("period %s is not resynced yet: %s", period, error.detail)
        return False
    return resync_each(map(PeriodResync, period.parts)) == len(period.parts)


def _note_staleness(parts: Sequence[Part]) -> None:
    """Note it on divided periods that say otherwise: a writer leaves out the period's row if somebody has locked it."""
    stale = {part.period_id: False for part in parts if isinstance(part, Partition)}
    stale |= {part.period_id: True for part in parts if part.stale_since is not None}
    first = {part.period_id: part for part in reversed(parts) if isinstance(part, Partition)}
    for number, part in first.items():
        if stale[number] is not (part.period.stale_since is not None):
            PeriodResync(part).note_staleness()


def resyncs_of_all_periods(is_there: HasKey) -> Iterable[PeriodResync]:
    """Return the resyncs for an unknown server, and delete its keys of final periods, which are read from SQL."""
    store = ZsetSync(redis.resync_client())
    for part in parts_of(Period.objects.filter(state=PeriodState.FINAL, board__storage__in=IN_REDIS)):
        if is_there(part.family.gen):
            store.unlink(part)  # files from before an erasure may contain an erased name
    return [PeriodResync(part) for part in parts_of(active_periods()) if is_there(part.family.gen)]


def active_periods() -> QuerySet[Period]:
    """Return the periods that are, or should be, read from Redis."""
    return Period.objects.filter(state__in=ACTIVE_STATES, board__storage__in=IN_REDIS).select_related("board")


def _check_and_reconcile(parts: Sequence[Part], at: datetime) -> None:
    """Mark families stale if Redis lost them (a FLUSHALL, say) or rows are marked; reconcile open announcements."""
    synced = [part for part in parts if part.stale_since is None]
    marked = _marked(synced)
    statuses = ZsetSync(redis.resync_client()).read_statuses(synced)
    for part, status in zip(synced, statuses, strict=True):
        if isinstance(status, Unavailable):
            continue  # of a cluster, the server of this family is away: readers notice that themselves
        if status is None or status.generation != part.generation or part.family.zset in marked:
            PeriodResync(part).mark_stale(at)
        elif status.inflight:
            _try_reconcile(part, at)


def _marked(parts: Sequence[Part]) -> set[str]:
    """Return the families of which SQL has marked a standing."""
    pending = Standing.objects.filter(pending_publish=True, period__in={part.period_id for part in parts})
    marked = set(pending.values_list("period", flat=True).distinct())
    found = [part for part in parts if part.period_id in marked]
    return {
        part.family.zset
        for part in found
        if isinstance(part, Period) or standings_of(part).filter(pending_publish=True).exists()
    }


def _try_reconcile(part: Part, at: datetime) -> None:
    """Reconcile a family; if Redis refuses that, mark it stale, so that SQL answers reads."""
    try:
        reconcile(part)
    except Unavailable as error:
        logger.warning("period %s is not reconciled yet: %s", part, error.detail)
        PeriodResync(part).mark_stale(at)


def advance_watermark(parts: Sequence[Part], at: datetime, apart: int = 0) -> None:
    """Write the watermark of each synced hybrid family every ``WATERMARK_SECONDS``. An unknown server gets none.

    With ``apart``, only if SQL has begun so many transactions since this process wrote the last one.
    """
    hybrid = [each for each in parts if each.board.storage == Storage.HYBRID and each.stale_since is None]
    due = [each for each in hybrid if each.pk % WATERMARK_SECONDS == int(at.timestamp()) % WATERMARK_SECONDS]
    current = watermark() if due else 0
    due = [each for each in due if current - _last_watermark(each) >= apart]
    if not due or not current:
        return
    with suppress(Unavailable):
        ZsetSync(redis.boards()).advance_watermark(due, current)
        for inactive in _watermarks.keys() - {each.family.zset for each in parts}:
            _watermarks.pop(inactive, None)
        _watermarks.update((each.family.zset, (each.generation, current)) for each in due)


def _last_watermark(part: Part) -> int:
    """Return the watermark that this process last wrote under the family's generation; 0 for none."""
    generation, last = _watermarks.get(part.family.zset, (0, 0))
    return last if generation == part.generation else 0
