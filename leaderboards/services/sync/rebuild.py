"""Rebuild a board in Redis on request, by the same resync that the worker does.

On hybrid boards the family is emptied and filled from SQL. On redis boards nothing is emptied: Redis gets what SQL has
newer, which is everything after lost memory. SQL answers reads meanwhile. The trap: an unknown server (after a restart,
say) must be registered first, which gives every period of every board a new generation.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from foundation import clock
from foundation.messages import Message
from foundation.sync.redis_state import StaleGeneration
from foundation.sync.registering import register_server
from leaderboards.errors import PeriodClosed, UnknownPeriod
from leaderboards.models import ACTIVE_STATES, Board, Period, Storage
from leaderboards.selectors.monitoring.resync_progress import count_ranked
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.resync_periods import OnProgress, PeriodResync

MAX_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The result for a period; ``is_resynced`` is False if another worker has the lease or it needs another run."""

    period: str
    is_resynced: bool
    generation: int
    players: int


def rebuild(
    board: Board, label: str | None, at: datetime, on_progress: OnProgress = lambda _: None
) -> list[RebuildResult]:
    """Rebuild a period, or all active ones that have begun. Raises what the client raises.

    ``on_progress`` is called with the period now and then; ``rebuild_progress`` is the number of rows written so far,
    by this process or another.
    """
    periods = _periods_to_rebuild(board, label, at)
    register_server()
    return [_rebuild(period, at, on_progress) for period in periods]


def resync_waiting(since: datetime) -> list[Period]:
    """Resync the periods that became stale at or after ``since``, on all boards; returns those still stale."""
    stale = Period.objects.filter(state__in=ACTIVE_STATES, stale_since__gte=since)
    for period in stale.select_related("board").order_by("stale_since", "pk"):
        PeriodResync(period).try_resync()
    return [*stale.order_by("pk")]


def _periods_to_rebuild(board: Board, label: str | None, at: datetime) -> list[Period]:
    periods = Period.objects.filter(board=board).select_related("board").order_by("starts_at")
    if label is None:
        return [*periods.filter(state__in=ACTIVE_STATES).exclude(starts_at__gt=at)]
    period = periods.filter(label=label).first()
    if period is None:
        raise UnknownPeriod(
            Message("Board %(board)s has no period %(period)s.", board=board.seq, period=repr(label[:40]))
        )
    if period.state not in ACTIVE_STATES:
        raise PeriodClosed(
            Message(
                "Period %(period)s is %(state)s: its pages come from SQL, and Redis is not asked.",
                period=label,
                state=period.state,
            )
        )
    return [period]


def _rebuild(period: Period, at: datetime, on_progress: OnProgress) -> RebuildResult:
    """Mark the period stale, and resync it until this process or another has rebuilt it, or the time is up."""
    period.refresh_from_db()  # registering the server may have changed it
    generation_before, deadline = period.generation, clock.monotonic() + MAX_WAIT_SECONDS
    if period.board.storage == Storage.REDIS:
        with suppress(StaleGeneration):  # then the resync assesses Redis's memory, and keeps what only Redis has
            mirror(period)
    while True:
        mark_for_rebuild(period, at)
        PeriodResync(period, on_progress).resync()
        period.refresh_from_db()
        is_resynced = period.stale_since is None and _rebuilt_generation(period) > generation_before
        if is_resynced or clock.monotonic() > deadline:
            break
        on_progress(period)
        time.sleep(0.2)  # the worker has the lease
    return RebuildResult(period.label, is_resynced, period.generation, count_ranked(period))


def _rebuilt_generation(period: Period) -> int:
    """Return the generation of the last rebuild; where Redis decides, of the last resync, since nothing is emptied."""
    return period.generation if period.board.storage == Storage.REDIS else period.emptied_generation


def mark_for_rebuild(period: Period, at: datetime) -> None:
    """Mark the period stale, and on hybrid boards for a full rebuild, unless it is stale already."""
    unmarked = Period.objects.filter(pk=period.pk, state__in=ACTIVE_STATES, stale_since=None)
    unmarked.update(stale_since=at, needs_full_rebuild=period.board.storage == Storage.HYBRID)
    invalidate_readers(period)
