"""Rebuilding by hand what Redis shows of a board: the same settling that the schedule does, asked for.

hybrid: the family is emptied and put anew from SQL. redis: Redis decides, so nothing of it is emptied;
it gets what SQL knows better, which after lost memory is everything. Reads come from SQL meanwhile.
The trap: a server that nobody knows yet (it was restarted, say) must be met first, which gives every period another
generation, on every board.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from foundation import clock
from foundation.sync.redis_state import StaleGeneration
from foundation.sync.resyncing import register_server
from leaderboards.errors import PeriodClosed, UnknownPeriod
from leaderboards.models import Board, Period, PeriodState, Storage
from leaderboards.selectors.monitoring.resync_progress import count_ranked
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.resync_periods import OnProgress, PeriodResync

ACTIVE_STATES = (PeriodState.OPEN, PeriodState.CLOSING)
MAX_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """What was done with a period; ``is_resynced`` is False where somebody else is at it, or it takes another run."""

    period: str
    is_resynced: bool
    generation: int
    players: int


def rebuild(
    board: Board, label: str | None, at: datetime, on_progress: OnProgress = lambda _: None
) -> list[RebuildResult]:
    """Rebuild one period, or every living one that has begun. Raises what the link raises.

    ``on_progress`` is called with the period now and then: its ``rebuilt`` says how far it is, no matter who is at it.
    """
    periods = _asked(board, label, at)
    register_server()
    return [_rebuild(period, at, on_progress) for period in periods]


def resync_waiting(since: datetime) -> list[Period]:
    """Settle what meeting a new server made wait since then, on whatever board; those periods that wait yet."""
    waiting = Period.objects.filter(state__in=ACTIVE_STATES, stale_since__gte=since)
    for period in waiting.select_related("board").order_by("stale_since", "pk"):
        PeriodResync(period).try_resync()
    return [*waiting.order_by("pk")]


def _asked(board: Board, label: str | None, at: datetime) -> list[Period]:
    periods = Period.objects.filter(board=board).select_related("board").order_by("starts_at")
    if label is None:
        return [*periods.filter(state__in=ACTIVE_STATES).exclude(starts_at__gt=at)]
    period = periods.filter(label=label).first()
    if period is None:
        raise UnknownPeriod(f"Board {board.seq} has no period {label[:40]!r}.")
    if period.state not in ACTIVE_STATES:
        raise PeriodClosed(f"Period {label} is {period.state}: its pages come from SQL, and Redis is not asked.")
    return [period]


def _rebuild(period: Period, at: datetime, on_progress: OnProgress) -> RebuildResult:
    """Mark it, settle it, and stay until it was put anew, no matter by whom."""
    period.refresh_from_db()  # it was read before the server was met
    before, give_up = period.generation, clock.monotonic() + MAX_WAIT_SECONDS
    if period.board.storage == Storage.REDIS:
        with suppress(StaleGeneration):  # another memory, which settling judges: it keeps what only Redis has
            mirror(period)
    while True:
        _mark(period, at)
        PeriodResync(period, on_progress).resync()
        period.refresh_from_db()
        is_resynced = period.stale_since is None and _put_anew_at(period) > before
        if is_resynced or clock.monotonic() > give_up:
            break
        on_progress(period)
        time.sleep(0.2)  # the worker holds it: its turn ends by itself
    return RebuildResult(period.label, is_resynced, period.generation, count_ranked(period))


def _put_anew_at(period: Period) -> int:
    """The generation under which it was put anew; where Redis decides, settled anew, since nothing is emptied."""
    return period.generation if period.board.storage == Storage.REDIS else period.emptied_generation


def _mark(period: Period, at: datetime) -> None:
    """Nobody reads it from Redis until it is settled. What is marked already stays as it is."""
    mine = Period.objects.filter(pk=period.pk, state__in=ACTIVE_STATES, stale_since=None)
    mine.update(stale_since=at, needs_full_rebuild=period.board.storage == Storage.HYBRID)
    invalidate_readers(period)
