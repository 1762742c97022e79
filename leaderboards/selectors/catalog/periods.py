"""Find a period by ``current``, ``previous`` or its label.

A period has a row only once it was opened. Without a row, the running window and the one before it are shown as empty
periods; any other label is unknown, as is the label of a period that has not begun. Between two windows of a schedule,
``current`` is the window that ended last.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q, QuerySet

from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache, ask
from foundation.db.row_versions import row_version_loader
from foundation.messages import Message
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.periods import (
    PeriodKind,
    Window,
    latest_window,
    next_opening,
    next_window,
    previous_window,
    window_open_at,
)
from leaderboards.errors import BadLabel, UnknownPeriod
from leaderboards.models import Board, Period, PeriodState
from leaderboards.selectors.catalog.cache_versions import (
    MAX_READ_STALENESS_SECONDS,
    fetch_version,
    has_cache_version,
    known_version,
)
from leaderboards.selectors.catalog.parts import cached_parts, clear_parts_cache, reload_parts

CURRENT, PREVIOUS = "current", "previous"
_LABEL = re.compile(r"[0-9a-z-]{1,24}")


def _load(keys: Collection[tuple[int, str]]) -> dict[tuple[int, str], Period]:
    wanted = Q()
    for seq, label in keys:
        wanted |= Q(board=seq, label=label)
    return {(period.board_id, period.label): period for period in Period.objects.filter(wanted)}


_cache: StaleIfErrorCache[tuple[int, str], Period] = StaleIfErrorCache(
    _load, stamps=row_version_loader(Period._meta.db_table, "board_id", "label")
)


def period_by_label(board: Board, label: str) -> Period | None:
    """Return the period's row; while SQL is unavailable, from the cache.

    Raises ``StaleGeneration`` if the board comes from the cache and the row cannot: then read both from SQL.
    """
    if board.cached_since is not None:
        return _cached_with_version(board, label, board.cached_since)
    return _copy_with_board(_cache.get((board.seq, label)), board)


def _cached_with_version(board: Board, label: str, board_since: float) -> Period:
    """Return the cached row with the cache version that the Lua read script has to compare.

    The trap: the version only vouches for a board and a row that were read after it was fetched.
    """
    cached = _cache.peek((board.seq, label), MAX_READ_STALENESS_SECONDS)
    if cached is None or not has_cache_version(board, cached.answer):
        raise StaleGeneration("This period must be read from SQL.")
    version = known_version(cached.answer)
    if version is None:
        fetch_version(cached.answer)
    if version is None or version.at > min(board_since, cached.since):
        raise StaleGeneration("This period must be read after its cache version.")
    cached.answer.layout  # noqa: B018 - computed once, with its rules, for all copies
    cached.answer.family  # noqa: B018 - computed once, with its rules, for all copies
    period = copy(cached.answer)
    period.board, period.cache_version = board, version.version
    return period


def periods_by_label(named: Collection[tuple[Board, str]]) -> dict[int, Period]:
    """Return the rows of these periods by board number, without those that have none; cached likewise."""
    cached = _cache.get_many([(board.seq, label) for board, label in named])
    rows = {board.seq: _copy_with_board(cached.get((board.seq, label)), board) for board, label in named}
    return {seq: period for seq, period in rows.items() if period is not None}


def cached_period(board: Board, label: str, at: datetime) -> Period | None:
    """Return the row, at most ``CACHE_TTL`` seconds old: only for writes that a Redis script or SQL transaction checks.

    A period takes over changed rules until it begins, so a row that may have been read before is read again.
    """
    period = _cache.get((board.seq, label), fresh=CACHE_TTL)
    if period and period.starts_at and at < period.starts_at + timedelta(seconds=CACHE_TTL):
        return period_by_label(board, label)
    if period:
        period.layout  # noqa: B018 - computed once for all copies
    return _copy_with_board(period, board, fresh=CACHE_TTL)


def reload_sync_state(period: Period) -> None:
    """Read again what a resync or a moved end changes, with the partitions, and copy it to ``period``."""
    current = _cache.refresh((period.board_id, period.label))
    if current is not None:
        period.copy_sync_state(current)
        reload_parts(period)


def clear_period_cache() -> None:
    """Make this process see a changed period at once."""
    _cache.forget()
    clear_parts_cache()


def _copy_with_board(period: Period | None, board: Board, fresh: float = 0.0) -> Period | None:
    """Copy a cached row, since callers may change theirs; its partitions may be ``fresh`` seconds old."""
    if period is None:
        return None
    copied = copy(period)
    copied.board = board
    if copied.is_divided:
        copied.parts_source = partial(cached_parts, fresh=fresh)
    return copied


@dataclass(frozen=True, slots=True)
class PeriodInfo:
    """A period for display; all-time periods have neither start nor end.

    ``ended_before_board``: it is a window without a row that ended before the board was made.
    """

    label: str
    starts_at: datetime | None
    ends_at: datetime | None
    state: str
    ended_before_board: bool = False

    def seconds_left(self, at: datetime) -> int | None:
        """Return the whole seconds until the end, 0 after it; None without an end."""
        return None if self.ends_at is None else max(0, int((self.ends_at - at).total_seconds()))


def find_period_row(board: Board, name: str, at: datetime) -> Period | None:
    """Return the period's row; None if it is the running or previous window and has none. Raises ``UnknownPeriod``."""
    if not _LABEL.fullmatch(name):
        raise UnknownPeriod(Message("This board has no period %(period)s.", period=repr(name[:40])))
    label = _label(board, name, at)
    period = period_by_label(board, label)
    if period is not None:
        if period.starts_at is not None and period.starts_at > at:
            raise UnknownPeriod(Message("Period %(period)s has not begun.", period=label))
        return period
    if label not in _always_shown(board, at):
        raise UnknownPeriod(Message("This board has no period %(period)s.", period=repr(name[:40])))
    return None


def find_period_info(board: Board, name: str, at: datetime) -> PeriodInfo:
    """Return the period for display. Raises ``UnknownPeriod``."""
    return period_info_or_window(board, name, find_period_row(board, name, at), at)


def period_info_or_window(board: Board, name: str, period: Period | None, at: datetime) -> PeriodInfo:
    """Return the period for display, from what ``find_period_row`` returned for ``name``."""
    if period is not None:
        return period_info(period)
    window = _always_shown(board, at)[_label(board, name, at)]
    ended = window.ends_at is not None and window.ends_at <= at
    state = PeriodState.FINAL if ended else PeriodState.OPEN
    ended_before_board = window.ends_at is not None and window.ends_at <= board.created_at
    return PeriodInfo(window.label, window.starts_at, window.ends_at, state, ended_before_board)


def periods_listed(board: Board, at: datetime, limit: int = 12) -> list[PeriodInfo]:
    """List the latest periods that have begun, the running one first; none while SQL is unavailable."""
    latest = periods_begun(board, at)[:limit]
    with suppress(SqlAway):
        return ask(lambda: [period_info(period) for period in latest])
    return []


def adjacent_periods(board: Board, starts_at: datetime, at: datetime) -> tuple[PeriodInfo | None, PeriodInfo | None]:
    """Return the period before and the one after the period that began at ``starts_at``.

    Only periods that have begun by ``at`` count. None for one that does not exist, and while SQL is unavailable.
    """
    before = periods_begun(board, at).filter(starts_at__lt=starts_at)
    after = periods_begun(board, at).filter(starts_at__gt=starts_at).reverse()
    with suppress(SqlAway):
        older, newer = ask(lambda: [rows.first() for rows in (before, after)])
        return None if older is None else period_info(older), None if newer is None else period_info(newer)
    return None, None


def running_window(board: Board, at: datetime) -> PeriodInfo | None:
    """Return the running window, even if it has no scores; None if none is open, for event and retired boards."""
    if board.is_event or (board.retired_at is not None and board.retired_at <= at):
        return None
    window = window_open_at(board.calendar, at)
    if window is None:
        return None
    return PeriodInfo(window.label, window.starts_at, window.ends_at, PeriodState.OPEN)


def opening(board: Board, shown: PeriodInfo, at: datetime) -> datetime | None:
    """Return when the window after ``shown`` starts, if that has ended and none has started since; else None."""
    if board.period != PeriodKind.SCHEDULE or shown.ends_at is None or at < shown.ends_at:
        return None
    opens_at = next_opening(board.calendar, at)
    is_over = board.retired_at is not None and (opens_at is None or board.retired_at <= opens_at)
    return None if is_over or latest_window(board.calendar, at).label != shown.label else opens_at


def coming_windows(board: Board, at: datetime, count: int) -> list[Window]:
    """Return the windows of a schedule that end after ``at``, the open one first; fewer if the schedule has no more."""
    windows: list[Window] = []
    with suppress(BadLabel):
        window = latest_window(board.calendar, at)
        while len(windows) < count and not _is_after_retirement(board, window):
            if window.ends_at and window.ends_at > at:
                windows.append(window)
            window = next_window(board.calendar, window)
    return windows


def _is_after_retirement(board: Board, window: Window) -> bool:
    return bool(board.retired_at and window.starts_at and board.retired_at <= window.starts_at)


def periods_begun(board: Board, at: datetime) -> QuerySet[Period]:
    """Query the periods that have begun, the latest first."""
    return Period.objects.filter(board=board).exclude(starts_at__gt=at).order_by("-starts_at")


def period_info(period: Period) -> PeriodInfo:
    """Convert a period's row for display."""
    return PeriodInfo(period.label, period.starts_at, period.ends_at, period.state)


def _label(board: Board, name: str, at: datetime) -> str:
    if name not in (CURRENT, PREVIOUS):
        return name
    if board.is_event:
        raise UnknownPeriod(Message("This board counts in competitions and has no current or previous period."))
    if name == CURRENT:
        return latest_window(board.calendar, at).label
    return next((window.label for key, window in _named_windows(board, at).items() if key == name), "no such window")


def _always_shown(board: Board, at: datetime) -> dict[str, Window]:
    return {window.label: window for window in _named_windows(board, at).values()}


def _named_windows(board: Board, at: datetime) -> dict[str, Window]:
    if board.is_event:
        return {}
    running = latest_window(board.calendar, at)
    if board.period == PeriodKind.ALL_TIME:
        return {CURRENT: running}
    return {CURRENT: running, PREVIOUS: previous_window(board.calendar, running)}
