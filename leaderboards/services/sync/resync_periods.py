"""Resync periods (the steps are in ``foundation/sync/resyncing.py``), and find each second which ones need it.

Where SQL decides, Redis's memory has a watermark, and lacks only what later transactions wrote
(``mark_changed_since``).
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from django.db.models import QuerySet

from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.sync.redis_state import RedisState
from foundation.sync.registering import HasKey, register_server
from foundation.sync.resyncing import AssessedState, Resync
from leaderboards.models import ACTIVE_STATES, IN_REDIS, Period, PeriodState, Standing, Storage
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.reconcile import mark_changed_since, publish_all, publish_pending, reconcile, watermark
from leaderboards.services.sync.restore import restore
from leaderboards.stores.redis.sync import ZsetSync

logger = logging.getLogger(__name__)

WATERMARK_SECONDS = 5  # between two watermarks of a period: a memory that comes back lacks so much more
WATERMARK_TRANSACTIONS = 100  # with fewer new SQL transactions no watermark is written each second
OnProgress = Callable[[Period], None]
_watermarks: dict[int, tuple[int, int]] = {}  # by period: generation and watermark that this process wrote last


class PeriodResync(Resync[Period]):
    """The resync of a period. After each chunk ``on_progress`` is called with it (see its ``rebuild_progress``)."""

    columns = (*Resync.columns, "rebuild_progress", "emptied_generation")

    def __init__(self, period: Period, on_progress: OnProgress = lambda _: None) -> None:
        super().__init__(period)
        self._on_progress = on_progress
        self._store = ZsetSync(redis.resync_client())

    @property
    def _redis_decides(self) -> bool:
        return self.row.board.storage == Storage.REDIS

    def _lock_exclusively(self, max_wait: float) -> None:
        barrier.hold_exclusive(self.row.pk, max_wait=max_wait)

    def _read(self) -> Period:
        return Period.objects.select_related("board").get(pk=self.row.pk)

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
        invalidate_readers(self.row)

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

    def _copy_missing(self, above: int) -> bool:
        """Copy what is newer in SQL where Redis decides; else everything if need be, then marked and announced rows."""
        if self._redis_decides:
            restore(self.row, above, self._add_progress)
            return True
        if self.row.needs_full_rebuild and not publish_all(self.row, self._add_progress):
            return False
        publish_pending(self.row, self._add_progress)
        reconcile(self.row)
        return True

    def _is_complete(self) -> bool:
        return not Standing.objects.filter(period=self.row, pending_publish=True).exists()

    def _add_progress(self, rows: int) -> None:
        self.row.rebuild_progress += rows
        self.row.same_generation.update(rebuild_progress=self.row.rebuild_progress)
        self._on_progress(self.row)


def resync_due(at: datetime) -> int:
    """Reconcile and resync every period that needs it; returns how many were resynced.

    Raises what the client raises if Redis cannot be reached.
    """
    register_server()
    periods = list(active_periods())
    _check_and_reconcile(periods, at)
    stale = Period.objects.filter(stale_since__isnull=False, state__in=ACTIVE_STATES)  # final ones are read from SQL
    due = sorted(stale.select_related("board").order_by("stale_since"), key=_accepts_scores_meanwhile)
    resynced = sum(PeriodResync(period).try_resync() for period in due)
    advance_watermark(periods, at)
    return resynced


def _accepts_scores_meanwhile(period: Period) -> bool:
    """Whether a period takes scores while it is stale: the others go first."""
    return period.board.storage != Storage.REDIS


def resync_now(period: Period) -> bool:
    """Resync a period without waiting for the worker; errors of Redis are logged, and the result is False."""
    try:
        register_server()
    except Unavailable as error:
        logger.warning("period %s is not resynced yet: %s", period, error.detail)
        return False
    return PeriodResync(period).try_resync()


def resyncs_of_all_periods(is_there: HasKey) -> Iterable[PeriodResync]:
    """Return the resyncs for an unknown server, and delete its keys of final periods, which are read from SQL."""
    store = ZsetSync(redis.resync_client())
    for period in Period.objects.filter(state=PeriodState.FINAL, board__storage__in=IN_REDIS):
        if is_there(period.family.gen):
            store.unlink(period)  # files from before an erasure may contain an erased name
    return [PeriodResync(period) for period in active_periods() if is_there(period.family.gen)]


def active_periods() -> QuerySet[Period]:
    """Return the periods that are, or should be, read from Redis."""
    return Period.objects.filter(state__in=ACTIVE_STATES, board__storage__in=IN_REDIS).select_related("board")


def _check_and_reconcile(periods: Sequence[Period], at: datetime) -> None:
    """Mark periods stale if Redis lost them (a FLUSHALL, say) or rows are marked; reconcile open announcements."""
    synced = [period for period in periods if period.stale_since is None]
    pending = Standing.objects.filter(pending_publish=True, period__in=synced)
    marked = set(pending.values_list("period", flat=True).distinct())
    statuses = ZsetSync(redis.resync_client()).read_statuses(synced)
    for period, status in zip(synced, statuses, strict=True):
        if isinstance(status, Unavailable):
            continue  # of a cluster, the server of this period is away: readers notice that themselves
        if status is None or status.generation != period.generation or period.pk in marked:
            PeriodResync(period).mark_stale(at)
        elif status.inflight:
            _try_reconcile(period, at)


def _try_reconcile(period: Period, at: datetime) -> None:
    """Reconcile a period; if Redis refuses that, mark the period stale, so that SQL answers reads."""
    try:
        reconcile(period)
    except Unavailable as error:
        logger.warning("period %s is not reconciled yet: %s", period.pk, error.detail)
        PeriodResync(period).mark_stale(at)


def advance_watermark(periods: Sequence[Period], at: datetime, apart: int = 0) -> None:
    """Write the watermark of each synced hybrid period every ``WATERMARK_SECONDS``. An unknown server gets none.

    With ``apart``, only if SQL has begun so many transactions since this process wrote the last one.
    """
    hybrid = [each for each in periods if each.board.storage == Storage.HYBRID and each.stale_since is None]
    due = [each for each in hybrid if each.pk % WATERMARK_SECONDS == int(at.timestamp()) % WATERMARK_SECONDS]
    current = watermark() if due else 0
    due = [each for each in due if current - _last_watermark(each) >= apart]
    if not due or not current:
        return
    with suppress(Unavailable):
        ZsetSync(redis.boards()).advance_watermark(due, current)
        for inactive in _watermarks.keys() - {each.pk for each in periods}:
            _watermarks.pop(inactive, None)
        _watermarks.update((each.pk, (each.generation, current)) for each in due)


def _last_watermark(period: Period) -> int:
    """Return the watermark that this process last wrote under the period's generation; 0 for none."""
    generation, last = _watermarks.get(period.pk, (0, 0))
    return last if generation == period.generation else 0
