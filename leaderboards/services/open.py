"""Opening periods: the running one and the next of every board, each with the rules of its moment.

A period's row is made before it is needed, and a fresh one is settled at once, so that the first
submission after midnight finds a generation in Redis.
"""

from datetime import datetime, timedelta

from foundation import clock
from foundation.each import for_each
from leaderboards.core.periods import PeriodKind, Window, next_window, window_at
from leaderboards.core.scores import choose_layout
from leaderboards.models import Board, Period, Storage
from leaderboards.services.settle import try_settle


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
            "whole": in_redis,
        },
    )
    if created and in_redis:
        try_settle(period)
        period.refresh_from_db()
    return period


def open_board(board: Board, at: datetime) -> None:
    """The running period of a calendar board, and the next one."""
    if board.is_event:
        return
    running = window_at(board.calendar, at)
    windows = [running]
    if board.period != PeriodKind.ALL_TIME:
        windows.append(next_window(board.calendar, running))
    for window in windows:
        if not begins_after_retirement(board, window):
            open_period(board, window)


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
