"""Opening periods: the running one and the next of every board, each with the rules of its moment.

A period's row is made before it is needed, and a fresh one is settled at once, so that the first
submission after midnight finds a generation in Redis. The trap: a zone's own rules change too, between two looks
at a window, and the windows of a board must leave no gap.
"""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction

from foundation import clock
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import PeriodKind, Window, next_window, window_at
from leaderboards.models import Board, Period, PeriodState, Storage
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.resync_periods import resync_now

logger = logging.getLogger(__name__)


def open_period(board: Board, window: Window) -> Period:
    """The period of ``window``, made and settled if it is new. Safe to call twice, also at once.

    Raises ``BadBoard`` where the board's rules cannot be packed in the window.
    """
    in_redis = board.storage != Storage.SQL
    choose_layout(board.rules, window)
    period, created = Period.objects.get_or_create(
        board=board,
        label=window.label,
        defaults={
            "starts_at": window.starts_at,
            "ends_at": window.ends_at,
            "rules_json": board.rules.to_json(),
            "stale_since": clock.now() if in_redis else None,
            "needs_full_rebuild": in_redis,
        },
    )
    if created and in_redis:
        resync_now(period)
        period.refresh_from_db()
    return period


def open_board(board: Board, at: datetime) -> None:
    """The running period of a calendar board, and the next one, in the windows that its zone has by now."""
    if board.is_event:
        return
    running = window_at(board.calendar, at)
    windows = [running]
    if board.period != PeriodKind.ALL_TIME:
        windows.append(next_window(board.calendar, running))
    for window in windows:
        if not begins_after_retirement(board, window):
            _follow_calendar(open_period(board, window), window, at)


def _follow_calendar(period: Period, window: Window, at: datetime) -> None:
    """Let the row have the zone's present window: all of it before it begins, then its end alone.

    Where its scores hold the time left to its end, a running period keeps the end of its row; submissions still find it
    by the calendar, and it is not closed before that (``services/periods/close.py``).
    """
    if period.window == _present(period, window, at):
        return
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db()
        wanted = _present(period, window, at)
        if period.state != PeriodState.OPEN or period.window == wanted:
            return
        old, new = period.layout, choose_layout(period.rules, wanted)
        if _has_begun(period, at) and (old.slots, old.tail) != (new.slots, new.tail):
            logger.warning("period %s keeps its end though by its zone it is %s", period, wanted.ends_at)
            return
        logger.info("period %s lasts to %s, since its zone has other rules", period, wanted.ends_at)
        Period.objects.filter(pk=period.pk).update(starts_at=wanted.starts_at, ends_at=wanted.ends_at)
        transaction.on_commit(clear_period_cache)
        invalidate_readers(period)


def _present(period: Period, window: Window, at: datetime) -> Window:
    """The window that the row should have: what has begun keeps its start."""
    return replace(window, starts_at=period.starts_at) if _has_begun(period, at) else window


def _has_begun(period: Period, at: datetime) -> bool:
    return period.starts_at is not None and period.starts_at <= at


def open_due(at: datetime) -> int:
    """Open what is due on every board; returns how many boards were looked at.

    A board that cannot be opened keeps no other waiting; what failed is raised at the end.
    """
    boards = [board for board in Board.objects.exclude(period=PeriodKind.EVENT) if not _is_over(board, at)]
    return len(for_each(boards, lambda board: open_board(board, at)))


def begins_after_retirement(board: Board, window: Window) -> bool:
    """Whether the board will not have this period. A competition runs: it was announced while the board was in use."""
    if board.is_event or board.retired_at is None:
        return False
    return window.starts_at is None or window.starts_at >= board.retired_at


def _is_over(board: Board, at: datetime) -> bool:
    return bool(board.retired_at and board.retired_at + timedelta(seconds=board.grace_seconds) <= at)
