"""Open periods: the running one and the next one of every board, each with the board's rules at that moment.

A period's row is created before it begins, and resynced at once, so that the first submission after midnight finds a
generation in Redis. The trap: the rules of a time zone may change too, and the windows of a board must leave no gap.
"""

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import PeriodKind, Window, latest_window, next_window
from leaderboards.models import IN_REDIS, Board, Period, PeriodState, Storage
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.periods.delete_replaced import delete_replaced_periods
from leaderboards.services.periods.partitions import make_partitions
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.resync_periods import resync_now
from leaderboards.stores.sql.own_tables import make_own_tables

logger = logging.getLogger(__name__)


def open_period(board: Board, window: Window) -> Period:
    """Return the period of a window; a new one is created and resynced. Concurrent calls create one period.

    Raises ``BadBoard`` if the board's rules cannot be packed in the window.
    """
    in_redis = board.storage in IN_REDIS
    write_shards = sunwi_settings.DYNAMODB_WRITE_SHARDS if board.storage == Storage.DYNAMODB else 1
    choose_layout(board.rules, window)
    defaults = {
        "starts_at": window.starts_at,
        "ends_at": window.ends_at,
        "rules_json": board.rules.to_json(),
        "stale_since": clock.now() if in_redis else None,
        "needs_full_rebuild": in_redis,
        "write_shards": write_shards,
        "partitions": board.partitions,
    }
    period, created = _get_or_create(board, window, defaults)
    if created and in_redis:
        resync_now(period)
        period.refresh_from_db()
    return period


def _get_or_create(board: Board, window: Window, defaults: dict[str, Any]) -> tuple[Period, bool]:
    """Return the period, and whether it was created: in one transaction with its partitions and its own tables.

    If SQL makes no tables now, it is opened all the same, and shares those of other periods.
    """
    if not (board.own_tables or board.partitions > 1):
        return Period.objects.get_or_create(board=board, label=window.label, defaults=defaults)
    if found := Period.objects.filter(board=board, label=window.label).first():
        return found, False
    with transaction.atomic():
        number = make_own_tables() if board.own_tables else None
        numbered = defaults if number is None else defaults | {"pk": number}
        period, created = Period.objects.get_or_create(board=board, label=window.label, defaults=numbered)
        if created:
            make_partitions(period)
        elif number is not None:  # another process has opened it meanwhile, with tables of its own
            transaction.set_rollback(True)
    return period, created


def open_board(board: Board, at: datetime) -> None:
    """Open the running period of a calendar board and the next one, and adjust them to their zone's current rules.

    Between two windows of a schedule only the next one is opened. A board with a schedule is read anew: a caller who
    read it before its schedule changed would open a window that there is no more.
    """
    if board.is_event:
        return
    if board.period == PeriodKind.SCHEDULE:
        board = Board.objects.get(pk=board.pk)
        delete_replaced_periods(board, at)
    latest = latest_window(board.calendar, at)
    windows = [latest] if latest.contains(at) else []
    if board.period != PeriodKind.ALL_TIME:
        windows.append(next_window(board.calendar, latest))
    for window in windows:
        if not begins_after_retirement(board, window):
            _follow_calendar(open_period(board, window), window, at)


def _follow_calendar(period: Period, window: Window, at: datetime) -> None:
    """Adjust a period's start and end to the window by its zone's current rules; after it has begun, its end alone.

    A running period whose scores hold the time left to its end keeps its end. Submissions still find it by the
    calendar, and it is not closed before that (``services/periods/close.py``).
    """
    if period.window == _target_window(period, window, at):
        return
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db()
        target = _target_window(period, window, at)
        if period.state != PeriodState.OPEN or period.window == target:
            return
        old, new = period.layout, choose_layout(period.rules, target)
        if _has_begun(period, at) and (old.slots, old.tail) != (new.slots, new.tail):
            logger.warning("period %s keeps its end, although its zone's new rules say %s", period, target.ends_at)
            return
        logger.info("period %s now ends at %s, by the rules of its zone or a changed schedule", period, target.ends_at)
        Period.objects.filter(pk=period.pk).update(starts_at=target.starts_at, ends_at=target.ends_at)
        transaction.on_commit(clear_period_cache)
        invalidate_readers(period)


def _target_window(period: Period, window: Window, at: datetime) -> Window:
    """Return the window that the row should have: a period that has begun keeps its start."""
    return replace(window, starts_at=period.starts_at) if _has_begun(period, at) else window


def _has_begun(period: Period, at: datetime) -> bool:
    return period.starts_at is not None and period.starts_at <= at


def open_due(at: datetime) -> int:
    """Open the due periods of every board; returns how many boards. Errors are raised together at the end."""
    boards = [board for board in Board.objects.exclude(period=PeriodKind.EVENT) if not _is_over(board, at)]
    return len(for_each(boards, lambda board: open_board(board, at)))


def begins_after_retirement(board: Board, window: Window) -> bool:
    """Whether the window begins after the board was retired. Competitions run anyway: they were announced before."""
    if board.is_event or board.retired_at is None:
        return False
    return window.starts_at is None or window.starts_at >= board.retired_at


def _is_over(board: Board, at: datetime) -> bool:
    return bool(board.retired_at and board.retired_at + timedelta(seconds=board.grace_seconds) <= at)
