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
from foundation.sync.resync_together import resync_each
from leaderboards.errors import PeriodClosed, UnknownPeriod
from leaderboards.models import ACTIVE_STATES, Board, Part, Period, Storage
from leaderboards.selectors.monitoring.resync_progress import count_ranked
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.mirror import mirror_part
from leaderboards.services.sync.resync_periods import OnProgress, PeriodResync
from leaderboards.services.sync.staleness import note_stale_parts, stale_parts

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
    resync_each([PeriodResync(part) for part in stale_parts() if part.stale_since and part.stale_since >= since])
    return [*Period.objects.filter(state__in=ACTIVE_STATES, stale_since__gte=since).order_by("pk")]


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
    deadline = clock.monotonic() + MAX_WAIT_SECONDS
    resynced = [_rebuild_part(part, at, on_progress, deadline) for part in period.parts]
    newest = max(part.generation for part in period.parts)
    return RebuildResult(period.label, all(resynced), newest, count_ranked(period))


def _rebuild_part(part: Part, at: datetime, on_progress: OnProgress, deadline: float) -> bool:
    """Rebuild one family; whether it was done before the ``deadline`` (monotonic seconds)."""
    generation_before = part.generation
    if part.board.storage == Storage.REDIS:
        with suppress(StaleGeneration):  # then the resync assesses Redis's memory, and keeps what only Redis has
            mirror_part(part)
    while True:
        _mark_part_for_rebuild(part, at)
        PeriodResync(part, on_progress).resync()
        part.refresh_from_db()
        is_resynced = part.stale_since is None and _rebuilt_generation(part) > generation_before
        if is_resynced or clock.monotonic() > deadline:
            return is_resynced
        on_progress(part)
        time.sleep(0.2)  # the worker has the lease


def _rebuilt_generation(part: Part) -> int:
    """Return the generation of the last rebuild; where Redis decides, of the last resync, since nothing is emptied."""
    return part.generation if part.board.storage == Storage.REDIS else part.emptied_generation


def mark_for_rebuild(period: Period, at: datetime) -> None:
    """Mark all families of the period stale, and on hybrid boards for a full rebuild, unless they are stale already."""
    for part in period.parts:
        _mark_part_for_rebuild(part, at)


def _mark_part_for_rebuild(part: Part, at: datetime) -> None:
    if part.state in ACTIVE_STATES:
        unmarked = part.as_queryset.filter(stale_since=None)
        unmarked.update(stale_since=at, needs_full_rebuild=part.board.storage == Storage.HYBRID)
    note_stale_parts(part)
    invalidate_readers(part.period)
