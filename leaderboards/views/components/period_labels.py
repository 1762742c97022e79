"""Names and dates of periods, and the strip of periods on a board's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards import formats, selectors
from leaderboards.core.periods import PeriodKind, Window
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import PeriodInfo
from leaderboards.selectors.catalog.periods import coming_windows
from leaderboards.views.components.window_dates import dates_html, dates_text

WINDOWS_LISTED = 10
PERIODS_LISTED = 12  # the page of all periods has the rest


@dataclass(frozen=True, slots=True)
class PeriodChip:
    """A period in the strip."""

    label: str
    dates: str
    is_shown: bool
    is_running: bool
    is_final: bool
    ends_at: datetime | None


def period_words(board: Board, period: PeriodInfo, at: datetime) -> dict[str, Any]:
    """Return its name, dates and time left; those of the next window if the period never took place."""
    opening = opening_words(board, period, at)
    if period.ended_before_board and opening["opens_at"] and (coming := coming_windows(board, at, 1)):
        return _next_window_words(board, coming[0], at) | opening
    running = is_running(period, at)
    return {
        "name": formats.period_name(board, running),
        "dates": dates_html(board, period, at),
        "zoned_dates": dates_html(board, period, at, names_zone=True),
        "label": period.label,
        "ends_at": period.ends_at,
        "seconds_left": period.seconds_left(at) if running else None,
        "is_running": running,
        "is_final": is_final(period),
        **opening,
    }


def _next_window_words(board: Board, window: Window, at: datetime) -> dict[str, Any]:
    """Describe the first window of a board, which no score can be in yet."""
    shown = PeriodInfo(window.label, window.starts_at, window.ends_at, PeriodState.OPEN)
    return {
        "name": _("Next window"),
        "dates": dates_html(board, shown, at),
        "zoned_dates": dates_html(board, shown, at, names_zone=True),
        "label": window.label,
        "ends_at": None,
        "seconds_left": None,
        "is_running": False,
        "is_final": False,
        "is_next": True,
    }


def opening_words(board: Board, period: PeriodInfo, at: datetime) -> dict[str, Any]:
    """Return when the next window opens, if the period was the last one and none is open now."""
    opens_at = selectors.opening(board, period, at)
    return {"opens_at": opens_at, "opens_in": opens_at and max(0, int((opens_at - at).total_seconds()))}


def coming_dates(board: Board, at: datetime) -> list[SafeString]:
    """Return the dates of the next windows of a schedule, the open one left out; none for other boards."""
    if board.period != PeriodKind.SCHEDULE:
        return []
    windows = [each for each in coming_windows(board, at, WINDOWS_LISTED + 1) if not each.contains(at)]
    shown = [PeriodInfo(each.label, each.starts_at, each.ends_at, PeriodState.OPEN) for each in windows]
    return [dates_html(board, each, at) for each in shown[:WINDOWS_LISTED]]


def running_words(chips: Sequence[PeriodChip], at: datetime) -> dict[str, Any]:
    """Return the end of the running period among ``chips``, for the pages of other periods."""
    ends_at = next((chip.ends_at for chip in chips if chip.is_running), None)
    return {"running_until": ends_at, "running_left": ends_at and int((ends_at - at).total_seconds())}


def is_running(period: PeriodInfo, at: datetime) -> bool:
    """Whether the period has not ended."""
    return period.ends_at is None or at < period.ends_at


def is_final(period: PeriodInfo) -> bool:
    """Whether its standings are final: until then late scores may still be taken."""
    return period.state in (PeriodState.FINAL, PeriodState.EXPIRED)


def chips_of(board: Board, shown: PeriodInfo, at: datetime) -> list[PeriodChip]:
    """Return the board's latest periods, latest first; the shown and the running one are always among them."""
    periods = selectors.periods_listed(board, at, PERIODS_LISTED)
    for each in (shown, selectors.running_window(board, at)):
        if each is not None and each.label not in {period.label for period in periods}:
            periods = sorted([*periods, each], key=lambda period: period.starts_at or at, reverse=True)
    return [_chip(board, period, at, is_shown=period.label == shown.label) for period in periods]


def steps(
    board: Board, chips: Sequence[PeriodChip], shown: PeriodInfo, at: datetime
) -> tuple[PeriodChip | None, PeriodChip | None]:
    """Return the periods before and after the shown one. SQL is queried only if it is older than the strip."""
    here = next(nth for nth, chip in enumerate(chips) if chip.is_shown)
    if here + 1 < PERIODS_LISTED or shown.starts_at is None:
        before, after = chips[here + 1 : here + 2], chips[max(here - 1, 0) : here]
        return next(iter(before), None), next(iter(after), None)
    older, newer = selectors.adjacent_periods(board, shown.starts_at, at)
    return None if older is None else _chip(board, older, at), None if newer is None else _chip(board, newer, at)


def _chip(board: Board, period: PeriodInfo, at: datetime, *, is_shown: bool = False) -> PeriodChip:
    return PeriodChip(
        period.label,
        dates_text(board, period, at) or formats.period_name(board, True),
        is_shown,
        is_running(period, at),
        is_final(period),
        period.ends_at,
    )
