"""From ``current``, ``previous`` or a label to a period.

A period that nobody has opened has no row: the running window and the one before it are shown all the same,
empty. Any other label without a row is unknown, as is one that has not begun.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache, ask, row_version_loader
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.periods import PeriodKind, Window, previous_window, window_at
from leaderboards.errors import UnknownPeriod
from leaderboards.models import Board, Period, PeriodState
from leaderboards.selectors.catalog.cache_versions import (
    MAX_READ_STALENESS_SECONDS,
    fetch_version,
    has_cache_version,
    known_version,
)

CURRENT, PREVIOUS = "current", "previous"
_LABEL = re.compile(r"[0-9a-z-]{1,24}")


def _load(keys: Collection[tuple[int, str]]) -> dict[tuple[int, str], Period]:
    wanted = Q()
    for seq, label in keys:
        wanted |= Q(board=seq, label=label)
    return {(period.board_id, period.label): period for period in Period.objects.filter(wanted)}


_remembered: StaleIfErrorCache[tuple[int, str], Period] = StaleIfErrorCache(
    _load, stamps=row_version_loader(Period._meta.db_table, "board_id", "label")
)


def period_by_label(board: Board, label: str) -> Period | None:
    """The period's row, remembered while SQL is silent. Raises ``StaleGeneration`` where the board is remembered and
    the row
    cannot be: then SQL is to be asked for both."""
    if board.cached_since is not None:
        return _of_the_moment(board, label, board.cached_since)
    return _own_copy(_remembered.get((board.seq, label)), board)


def _of_the_moment(board: Board, label: str, board_since: float) -> Period:
    """The row as it is remembered, for the reading script to compare its edition. The trap: board and row must have
    been asked for after the edition was heard."""
    kept = _remembered.peek((board.seq, label), MAX_READ_STALENESS_SECONDS)
    if kept is None or not has_cache_version(board, kept.answer):
        raise StaleGeneration("This period must be asked for.")
    edition = known_version(kept.answer)
    if edition is None:
        fetch_version(kept.answer)
    if edition is None or edition.at > min(board_since, kept.since):
        raise StaleGeneration("This period must be asked for after its edition.")
    kept.answer.layout  # noqa: B018 (worked out once, with its rules, for all copies)
    kept.answer.family  # noqa: B018 (likewise)
    own = copy(kept.answer)
    own.board, own.cache_version = board, edition.edition
    return own


def periods_by_label(named: Collection[tuple[Board, str]]) -> dict[int, Period]:
    """By the boards' numbers, those of the periods that have a row; remembered likewise."""
    found = _remembered.get_many([(board.seq, label) for board, label in named])
    rows = {board.seq: _own_copy(found.get((board.seq, label)), board) for board, label in named}
    return {seq: period for seq, period in rows.items() if period is not None}


def cached_period(board: Board, label: str, at: datetime) -> Period | None:
    """The row as it was in the last seconds: only for what Redis's script or SQL's transaction decides.

    Until a period begins it takes over changed rules, so a row that was read before its start does not count.
    """
    period = _remembered.get((board.seq, label), fresh=CACHE_TTL)
    if period and period.starts_at and at < period.starts_at + timedelta(seconds=CACHE_TTL):
        return period_by_label(board, label)
    if period:
        period.layout  # noqa: B018 (worked out once for all copies, each of which keeps it)
    return _own_copy(period, board)


def reload_sync_state(period: Period) -> None:
    """Read again what settling and a moved end change, for those who hold the row or ask about a late entry."""
    present = _remembered.refresh((period.board_id, period.label))
    if present is not None:
        period.copy_sync_state(present)


def clear_period_cache() -> None:
    """A period was changed: this process knows it at once."""
    _remembered.forget()


def _own_copy(period: Period | None, board: Board) -> Period | None:
    """Callers that are given a row may change it; what others are given stays as it was read."""
    if period is None:
        return None
    own = copy(period)
    own.board = board
    return own


@dataclass(frozen=True, slots=True)
class PeriodInfo:
    """A period as people see it; all time has neither start nor end."""

    label: str
    starts_at: datetime | None
    ends_at: datetime | None
    state: str

    def seconds_left(self, at: datetime) -> int | None:
        """Whole seconds until the end, 0 after it; None where there is no end."""
        return None if self.ends_at is None else max(0, int((self.ends_at - at).total_seconds()))


def find_period_row(board: Board, name: str, at: datetime) -> Period | None:
    """The period's row, None if the running or the previous window has none. Raises ``UnknownPeriod``."""
    if not _LABEL.fullmatch(name):
        raise UnknownPeriod(f"This board has no period {name[:40]!r}.")
    label = _label(board, name, at)
    period = period_by_label(board, label)
    if period is not None:
        if period.starts_at is not None and period.starts_at > at:
            raise UnknownPeriod(f"Period {label} has not begun.")
        return period
    if label not in _always_shown(board, at):
        raise UnknownPeriod(f"This board has no period {name[:40]!r}.")
    return None


def find_period_info(board: Board, name: str, at: datetime) -> PeriodInfo:
    """The period for people. Raises ``UnknownPeriod``."""
    return period_info_or_window(board, name, find_period_row(board, name, at), at)


def period_info_or_window(board: Board, name: str, period: Period | None, at: datetime) -> PeriodInfo:
    """The same for what ``find_period_row`` found."""
    if period is not None:
        return period_info(period)
    window = _always_shown(board, at)[_label(board, name, at)]
    ended = window.ends_at is not None and window.ends_at <= at
    return PeriodInfo(window.label, window.starts_at, window.ends_at, PeriodState.FINAL if ended else PeriodState.OPEN)


def periods_listed(board: Board, at: datetime, limit: int = 12) -> list[PeriodInfo]:
    """The latest periods that have begun, the running one first; none while SQL is silent."""
    latest = periods_begun(board, at)[:limit]
    with suppress(SqlAway):
        return ask(lambda: [period_info(period) for period in latest])
    return []


def adjacent_periods(board: Board, starts_at: datetime, at: datetime) -> tuple[PeriodInfo | None, PeriodInfo | None]:
    """The last period that began before ``starts_at``, and the first that began after it and has begun ``at``; None for
    each that there is not, and while SQL is silent."""
    before, after = (
        periods_begun(board, at).filter(starts_at__lt=starts_at),
        periods_begun(board, at).filter(starts_at__gt=starts_at).reverse(),
    )
    with suppress(SqlAway):
        older, newer = ask(lambda: [rows.first() for rows in (before, after)])
        return None if older is None else period_info(older), None if newer is None else period_info(newer)
    return None, None


def running_window(board: Board, at: datetime) -> PeriodInfo | None:
    """The window that runs, whether anybody has scored in it or not; None where there is none any more."""
    if board.is_event or (board.retired_at is not None and board.retired_at <= at):
        return None
    window = window_at(board.calendar, at)
    return PeriodInfo(window.label, window.starts_at, window.ends_at, PeriodState.OPEN)


def periods_begun(board: Board, at: datetime) -> QuerySet[Period]:
    """The periods that have begun, the latest first."""
    return Period.objects.filter(board=board).exclude(starts_at__gt=at).order_by("-starts_at")


def period_info(period: Period) -> PeriodInfo:
    """A period's row for people."""
    return PeriodInfo(period.label, period.starts_at, period.ends_at, period.state)


def _label(board: Board, name: str, at: datetime) -> str:
    if name not in (CURRENT, PREVIOUS):
        return name
    if board.is_event:
        raise UnknownPeriod("This board counts in competitions and has no current or previous period.")
    if name == CURRENT:
        return window_at(board.calendar, at).label
    return next((window.label for key, window in _named_windows(board, at).items() if key == name), "no such window")


def _always_shown(board: Board, at: datetime) -> dict[str, Window]:
    return {window.label: window for window in _named_windows(board, at).values()}


def _named_windows(board: Board, at: datetime) -> dict[str, Window]:
    if board.is_event:
        return {}
    running = window_at(board.calendar, at)
    if board.period == PeriodKind.ALL_TIME:
        return {CURRENT: running}
    return {CURRENT: running, PREVIOUS: previous_window(board.calendar, running)}
