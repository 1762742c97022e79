"""Settling periods (``foundation/sync/resyncing.py`` tells how), and the look at all of them each second.

Where SQL decides, a memory that has followed it up to a transaction lacks only what came later
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
from foundation.sync.resyncing import AssessedState, Resync, register_server
from leaderboards.models import Period, PeriodState, Standing, Storage
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.reconcile import mark_changed_since, publish_all, publish_pending, reconcile, watermark
from leaderboards.services.sync.restore import restore
from leaderboards.stores.redis.sync import ZsetSync

logger = logging.getLogger(__name__)

WATERMARK_SECONDS = 5  # seconds: a memory that comes back lacks as much more
WATERMARK_TRANSACTIONS = 100  # transactions of SQL: where fewer came, nobody need note it
_LIVING = (PeriodState.OPEN, PeriodState.CLOSING)
OnProgress = Callable[[Period], None]
_noted: dict[int, tuple[int, int]] = {}  # by period: under which generation, up to which transaction


class PeriodResync(Resync[Period]):
    """Settling a period. ``on_progress`` is called after each chunk with it: its ``rebuild_progress`` says how far it
    is."""

    columns = (*Resync.columns, "rebuild_progress", "emptied_generation")

    def __init__(self, period: Period, on_progress: OnProgress = lambda _: None) -> None:
        super().__init__(period)
        self._tell = on_progress
        self._settler = ZsetSync(redis.resync_client())

    @property
    def _redis_decides(self) -> bool:
        return self.row.board.storage == Storage.REDIS

    def _lock_exclusively(self, max_wait: float) -> None:
        barrier.hold_exclusive(self.row.pk, max_wait=max_wait)

    def _read(self) -> Period:
        return Period.objects.select_related("board").get(pk=self.row.pk)

    def _read_redis_state(self) -> RedisState:
        return self._settler.read_state(self.row)

    def _is_read_from_redis(self) -> bool:
        return self.row.state in _LIVING  # final ones are read from SQL

    def _blocks_writes_while_stale(self) -> bool:
        return self._redis_decides

    def _needs_generation(self) -> bool:
        """Where SQL decides, a memory of this generation lacks what is marked or announced, and nothing else."""
        return (
            self._redis_decides
            or self.row.needs_full_rebuild
            or self._read_redis_state().generation != self.row.generation
        )

    def _is_lost(self, memory: RedisState) -> bool:
        """Where Redis decides, memory of another generation may hold what SQL never saw: only none at all is lost.

        Where SQL decides, memory must be no older than the generation under which all was put last, and must tell up to
        where it has followed.
        """
        if self._redis_decides:
            return self.row.needs_full_rebuild or memory.generation == 0
        of_this_course = (
            memory.generation > 0 and self.row.emptied_generation <= memory.generation <= self.row.generation
        )
        return self.row.needs_full_rebuild or not of_this_course or not 0 < memory.watermark <= watermark()

    def _on_marked_stale(self) -> None:
        invalidate_readers(self.row)

    def _on_new_generation(self, judged: AssessedState) -> None:
        self.row.rebuild_progress = 0
        if judged.lost:
            self.row.emptied_generation = self.row.generation

    def _fence_generation(self, generation: int) -> None:
        self._settler.fence_generation(self.row, generation)

    def _set_generation(self, judged: AssessedState) -> int | None:
        """Mark what a memory lacks that has followed SQL; then Redis gets the number."""
        if not judged.lost and not self._redis_decides:
            mark_changed_since(self.row, judged.memory.watermark)
            failpoint("settle.after_marked")
        return self._settler.set_generation(self.row, self.row.generation, judged.memory, empty=judged.lost)

    def _copy_missing(self, above: int) -> bool:
        """redis: what is newer in SQL. hybrid: all of it while ``needs_full_rebuild``, who is marked, who was
        announced."""
        if self._redis_decides:
            restore(self.row, above, self._put)
            return True
        if self.row.needs_full_rebuild and not publish_all(self.row, self._put):
            return False
        publish_pending(self.row, self._put)
        reconcile(self.row)
        return True

    def _is_complete(self) -> bool:
        return not Standing.objects.filter(period=self.row, pending_publish=True).exists()

    def _put(self, rows: int) -> None:
        self.row.rebuild_progress += rows
        self.row.same_generation.update(rebuild_progress=self.row.rebuild_progress)
        self._tell(self.row)


def resync_due(at: datetime) -> int:
    """Settle and reconcile whatever needs it; returns how many periods were brought back.

    Raises ``RedisAway`` or its kin if Redis cannot be reached: then nothing is due yet.
    """
    register_server()
    periods = list(active_periods())
    _look_at(periods, at)
    stale = Period.objects.filter(stale_since__isnull=False, state__in=_LIVING)  # final ones are read from SQL
    due = stale.select_related("board").order_by("stale_since")
    settled = sum(PeriodResync(period).try_resync() for period in due)
    advance_watermark(periods, at)
    return settled


def resync_now(period: Period) -> bool:
    """Settle a period before the schedule does; False, with a word in the log, where it cannot be done now."""
    try:
        register_server()
    except Unavailable as error:
        logger.warning("period %s is not settled yet: %s", period, error.detail)
        return False
    return PeriodResync(period).try_resync()


def resyncs_of_all_periods() -> Iterable[PeriodResync]:
    """All that a server which nobody knows may remember. Final periods are no longer read from Redis."""
    settler = ZsetSync(redis.resync_client())
    for period in Period.objects.filter(state=PeriodState.FINAL).exclude(board__storage=Storage.SQL):
        settler.unlink(period)  # files from before an erasure may name somebody erased
    return [PeriodResync(period) for period in active_periods()]


def active_periods() -> QuerySet[Period]:
    """The periods that Redis shows, or should."""
    return Period.objects.filter(state__in=_LIVING).exclude(board__storage=Storage.SQL).select_related("board")


def _look_at(periods: Sequence[Period], at: datetime) -> None:
    """Mark stale whose memory is another (a FLUSHALL, say), and reconcile what was announced and not published."""
    active_periods = [period for period in periods if period.stale_since is None]
    marked = set(
        Standing.objects.filter(pending_publish=True, period__in=active_periods)
        .values_list("period", flat=True)
        .distinct()
    )
    for period, status in zip(
        active_periods, ZsetSync(redis.resync_client()).read_statuses(active_periods), strict=True
    ):
        if status is None or status.generation != period.generation or period.pk in marked:
            PeriodResync(period).mark_stale(at)
        elif status.inflight:
            _try_reconcile(period, at)


def _try_reconcile(period: Period, at: datetime) -> None:
    """Where Redis does not take what SQL has committed, SQL answers."""
    try:
        reconcile(period)
    except Unavailable as error:
        logger.warning("period %s is not reconciled yet: %s", period.pk, error.detail)
        PeriodResync(period).mark_stale(at)


def advance_watermark(periods: Sequence[Period], at: datetime, apart: int = 0) -> None:
    """Note up to where SQL was followed, of each hybrid period every few seconds. A stranger is told nothing.

    ``apart``: only where SQL has begun so many transactions since this process noted it last.
    """
    hybrid = [each for each in periods if each.board.storage == Storage.HYBRID and each.stale_since is None]
    due = [each for each in hybrid if each.pk % WATERMARK_SECONDS == int(at.timestamp()) % WATERMARK_SECONDS]
    upto = watermark() if due else 0
    due = [each for each in due if upto - _noted_of(each) >= apart]
    if not due or not upto:
        return
    with suppress(Unavailable):
        ZsetSync(redis.boards()).advance_watermark(due, upto)
        for gone in _noted.keys() - {each.pk for each in periods}:
            _noted.pop(gone, None)
        _noted.update((each.pk, (each.generation, upto)) for each in due)


def _noted_of(period: Period) -> int:
    """Up to where this process last noted it under this generation; 0 for never."""
    generation, upto = _noted.get(period.pk, (0, 0))
    return upto if generation == period.generation else 0
