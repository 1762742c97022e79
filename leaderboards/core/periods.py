"""Windows of time: find the window of an instant or a label, its start and its end.

Local time is only used to find boundaries; everything else compares instants. The trap is a clock that omits or repeats
its cut-off, or omits a whole day: only ``_start_of`` handles that.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from foundation.messages import Message
from leaderboards.core.calendars import (
    ALL_TIME,
    FIRST_YEAR,
    LAST_YEAR,
    WEEKDAYS,
    Calendar,
    PeriodKind,
    Window,
    zone_names,
)
from leaderboards.core.instants import EPOCH
from leaderboards.core.scheduled_windows import not_open, window_after, window_before, window_of_label, windows_around
from leaderboards.core.schedules import first_instant_from
from leaderboards.errors import BadBoard, BadEntry, BadLabel, BadTime, NotOpen

__all__ = [
    "ALL_TIME",
    "FIRST_YEAR",
    "LAST_YEAR",
    "WEEKDAYS",
    "Calendar",
    "PeriodKind",
    "Window",
    "days_of",
    "event_label",
    "event_number",
    "event_window",
    "latest_window",
    "next_opening",
    "next_window",
    "previous_window",
    "window_at",
    "window_of",
    "window_open_at",
    "zone_names",
]

_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
# A little wider than the years above, since their first and last windows exceed them in some zones.
_EARLIEST = EPOCH - 2 * _DAY
_LATEST = datetime(9999, 1, 10, tzinfo=UTC)


def window_at(calendar: Calendar, at: datetime) -> Window:
    """Return the window that contains ``at``.

    Raises ``NotOpen`` between two windows of a schedule, ``BadTime`` outside the years 1970 to 9998, and ``BadEntry``
    on an event board, whose windows are its competitions.
    """
    if calendar.kind is PeriodKind.ALL_TIME:
        return ALL_TIME
    if calendar.kind is PeriodKind.EVENT:
        raise BadEntry(Message("This board's periods are its competitions: send `competition` instead of `board`."))
    if _EARLIEST <= at < _LATEST:
        for window in _windows_of_hour(calendar, (at - EPOCH) // _HOUR):
            if window.contains(at):
                return window
        if calendar.kind is PeriodKind.SCHEDULE:
            raise not_open(at, next_opening(calendar, at))
    raise BadTime(
        Message(
            "Periods exist for the years %(first)s to %(last)s only; the time lies outside.",
            first=FIRST_YEAR,
            last=LAST_YEAR,
        )
    )


def latest_window(calendar: Calendar, at: datetime) -> Window:
    """Return the window that contains ``at``, or between two windows the one that ended last.

    Raises like ``window_at``, but ``NotOpen`` only before the first window of all.
    """
    if calendar.kind is not PeriodKind.SCHEDULE or not _EARLIEST <= at < _LATEST:
        return window_at(calendar, at)
    begun = [each for each in _windows_of_hour(calendar, (at - EPOCH) // _HOUR) if each.has_begun(at)]
    if not begun:
        raise not_open(at, next_opening(calendar, at))
    return begun[-1]


def window_open_at(calendar: Calendar, at: datetime) -> Window | None:
    """Return the window that contains ``at``; None between two windows. Raises like ``window_at`` otherwise."""
    try:
        return window_at(calendar, at)
    except NotOpen:
        return None


def next_opening(calendar: Calendar, at: datetime) -> datetime | None:
    """Return when the first window after ``at`` starts; None if none does, and on event boards."""
    if calendar.kind in (PeriodKind.ALL_TIME, PeriodKind.EVENT) or not _EARLIEST <= at < _LATEST:
        return None
    windows = _windows_of_hour(calendar, (at - EPOCH) // _HOUR)
    if calendar.kind is PeriodKind.SCHEDULE:
        return next((each.starts_at for each in windows if not each.has_begun(at)), None)
    return next((each.ends_at for each in windows if each.contains(at)), None)


def window_of(calendar: Calendar, label: str) -> Window:
    """Return the window with this label. Raises ``BadLabel`` if there is none."""
    if calendar.kind is PeriodKind.ALL_TIME and label == ALL_TIME.label:
        return ALL_TIME
    if calendar.kind is PeriodKind.SCHEDULE:
        return window_of_label(calendar, label)
    if calendar.kind in _PATTERNS:
        window = _window(calendar, _first_day(calendar, label))
        if window.starts_at != window.ends_at:
            return window
    raise _no_such(label)


def next_window(calendar: Calendar, window: Window) -> Window:
    """Return the window after this one. Raises ``BadLabel`` after the last year."""
    if calendar.kind is PeriodKind.SCHEDULE:
        return window_after(calendar, window)
    return _neighbour(calendar, window, _next_first)


def previous_window(calendar: Calendar, window: Window) -> Window:
    """Return the window before this one. Raises ``BadLabel`` before the first year."""
    if calendar.kind is PeriodKind.SCHEDULE:
        return window_before(calendar, window)
    return _neighbour(calendar, window, _previous_first)


def event_label(competition: int) -> str:
    """Return the label of a competition's period."""
    return f"c{competition}"


def event_number(label: str) -> int | None:
    """Return the competition of a label; None for any other label, such as a frozen copy's."""
    return int(label[1:]) if re.fullmatch("c[0-9]+", label) else None


def event_window(competition: int, starts_at: datetime, ends_at: datetime) -> Window:
    """Return a competition's window. Raises ``BadBoard`` unless it ends after it starts."""
    if not starts_at < ends_at:
        raise BadBoard(Message("A competition must end after it starts: move its end."), "ends_at")
    return Window(event_label(competition), starts_at.astimezone(UTC), ends_at.astimezone(UTC))


def days_of(calendar: Calendar, window: Window) -> tuple[date, date] | None:
    """Return the first and last day in the board's zone (16-22 Nov); None for all time."""
    if calendar.kind in _PATTERNS:
        first = _first_day(calendar, window.label)
        return first, _next_first(calendar, first) - _DAY
    if window.starts_at is None or window.ends_at is None:
        return None
    zone, last = ZoneInfo(calendar.timezone), window.ends_at - timedelta(microseconds=1)
    return window.starts_at.astimezone(zone).date(), last.astimezone(zone).date()


# --- Days and labels: plain calendar arithmetic, no clock -----------------------------------------

_PATTERNS = {
    PeriodKind.DAY: re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    PeriodKind.WEEK: re.compile(r"([0-9]{4})-([0-9]{2})"),
    PeriodKind.MONTH: re.compile(r"([0-9]{4})-([0-9]{2})"),
    PeriodKind.YEAR: re.compile(r"([0-9]{4})"),
}


def _label(calendar: Calendar, first: date) -> str:
    if calendar.kind is PeriodKind.DAY:
        return first.isoformat()
    if calendar.kind is PeriodKind.WEEK:
        fourth = first + 3 * _DAY  # its year holds at least four of the week's days
        return f"{fourth.year:04d}-{(fourth.timetuple().tm_yday - 1) // 7 + 1:02d}"
    return f"{first.year:04d}-{first.month:02d}" if calendar.kind is PeriodKind.MONTH else f"{first.year:04d}"


def _first_day(calendar: Calendar, label: str) -> date:
    """Return the first day of the period with this label. Raises ``BadLabel``."""
    match = _PATTERNS[calendar.kind].fullmatch(label)
    if match is None:
        raise _no_such(label)
    year, *rest = (int(part) for part in match.groups())
    try:
        if calendar.kind is PeriodKind.WEEK:
            first = _first_of(calendar, date(year, 1, 4)) + (rest[0] - 1) * 7 * _DAY
        else:
            month, day = (*rest, 1, 1)[:2]
            first = date(year, month, day)
    except (ValueError, OverflowError):
        raise _no_such(label) from None
    if _label(calendar, first) != label or not _is_counted(calendar, first):
        raise _no_such(label)
    return first


def _is_counted(calendar: Calendar, first: date) -> bool:
    return FIRST_YEAR <= int(_label(calendar, first)[:4]) <= LAST_YEAR


def _no_such(label: str) -> BadLabel:
    return BadLabel(Message("The board has no period %(period)s.", period=repr(label[:40])))


def _first_of(calendar: Calendar, day: date) -> date:
    """Return the first day of the period that contains ``day``."""
    if calendar.kind is PeriodKind.WEEK:
        return day - (day.weekday() - calendar.week_start) % 7 * _DAY
    if calendar.kind is PeriodKind.MONTH:
        return day.replace(day=1)
    return day.replace(month=1, day=1) if calendar.kind is PeriodKind.YEAR else day


def _next_first(calendar: Calendar, first: date) -> date:
    if calendar.kind is PeriodKind.DAY:
        return first + _DAY
    if calendar.kind is PeriodKind.WEEK:
        return first + 7 * _DAY
    # 31 and 366 days on is always in the next month or year, whatever their length.
    return _first_of(calendar, first + (31 if calendar.kind is PeriodKind.MONTH else 366) * _DAY)


def _previous_first(calendar: Calendar, first: date) -> date:
    return _first_of(calendar, first - _DAY)


# --- Boundaries: where days meet the clock --------------------------------------------------------


@lru_cache(maxsize=8192)
def _start_of(calendar: Calendar, day: date) -> datetime:
    """Return the first instant at which the zone's clock shows the cut-off of ``day``, or anything later."""
    return first_instant_from(datetime.combine(day, calendar.cutoff), ZoneInfo(calendar.timezone))


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None)


def _window(calendar: Calendar, first: date) -> Window:
    following = _next_first(calendar, first)
    return Window(_label(calendar, first), _start_of(calendar, first), _start_of(calendar, following))


@lru_cache(maxsize=8192)
def _windows_of_hour(calendar: Calendar, hour: int) -> tuple[Window, ...]:
    """Return the windows, mostly one, that overlap an hour of UTC. Every submission needs them.

    Of a schedule, all from the last one that had begun before the hour to the first one that starts after it.
    Python's dates end with 9999, so windows of that year are not computed: their end may not exist.
    """
    starts_at = EPOCH + hour * _HOUR
    if calendar.kind is PeriodKind.SCHEDULE:
        return tuple(windows_around(calendar, starts_at))
    first = _first_of(calendar, _wall(starts_at, ZoneInfo(calendar.timezone)).date())
    while _start_of(calendar, first) > starts_at:
        first = _previous_first(calendar, first)
    windows = []
    while _start_of(calendar, first) < starts_at + _HOUR and first.year <= LAST_YEAR:
        if _is_counted(calendar, first):
            windows.append(_window(calendar, first))
        first = _next_first(calendar, first)
    return tuple(windows)


def _neighbour(calendar: Calendar, window: Window, step: Callable[[Calendar, date], date]) -> Window:
    if calendar.kind not in _PATTERNS:
        raise ValueError(f"{calendar.kind} windows have no neighbours")
    first = _first_day(calendar, window.label)
    while _is_counted(calendar, first := step(calendar, first)):
        neighbour = _window(calendar, first)
        if neighbour.starts_at != neighbour.ends_at:  # else a day that the zone never had
            return neighbour
    raise _no_such(_label(calendar, first))
