"""Windows of a board's schedules, which may leave gaps between them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from foundation.messages import Message
from leaderboards.core.calendars import FIRST_YEAR, LAST_YEAR, Calendar, Window
from leaderboards.core.instants import EPOCH
from leaderboards.core.schedule_labels import start_of_label
from leaderboards.core.schedules import Span, span_after, span_before
from leaderboards.errors import BadLabel, NotOpen

_HOUR, _TICK = timedelta(hours=1), timedelta(microseconds=1)


def windows_around(calendar: Calendar, hour: datetime) -> Iterator[Window]:
    """Yield the windows from the last one that had begun before ``hour`` to the first one that starts after it."""
    zone = ZoneInfo(calendar.timezone)
    span = span_before(calendar.schedules, zone, hour) or span_after(calendar.schedules, zone, hour)
    while span is not None:
        if _is_counted_start(span.starts_at):
            yield Window(*span)
        if span.starts_at >= hour + _HOUR:
            return
        span = span_after(calendar.schedules, zone, span.starts_at)


def window_of_label(calendar: Calendar, label: str) -> Window:
    """Return the window with this label. Raises ``BadLabel`` if there is none."""
    zone = ZoneInfo(calendar.timezone)
    start = start_of_label(label, zone)
    span = span_before(calendar.schedules, zone, start) if start and _is_counted_start(start) else None
    if span is None or span.label != label:
        raise BadLabel(Message("The board has no period %(period)s.", period=repr(label[:40])))
    return Window(*span)


def _is_counted_start(start: datetime) -> bool:
    return FIRST_YEAR <= start.year <= LAST_YEAR


def _as_window(span: Span | None, neighbour: Window) -> Window:
    if span is None or not _is_counted_start(span.starts_at):
        raise BadLabel(Message("The board has no period beside %(label)s.", label=neighbour.label))
    return Window(*span)


def not_open(at: datetime, opens_at: datetime | None) -> NotOpen:
    """Return the refusal of a time between two windows."""
    if opens_at is None:
        return NotOpen(Message("No window of the board was open on %(at)s UTC: none follows.", at=_in_utc(at)))
    return NotOpen(
        Message(
            "No window of the board was open on %(at)s UTC: the next one starts on %(opens)s UTC.",
            at=_in_utc(at),
            opens=_in_utc(opens_at),
        ),
        opens_at,
    )


def _in_utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"


def window_after(calendar: Calendar, window: Window) -> Window:
    """Return the window after this one. Raises ``BadLabel`` if there is none."""
    start = window.starts_at or EPOCH
    return _as_window(span_after(calendar.schedules, ZoneInfo(calendar.timezone), start), window)


def window_before(calendar: Calendar, window: Window) -> Window:
    """Return the window before this one. Raises ``BadLabel`` if there is none."""
    start = window.starts_at or EPOCH
    return _as_window(span_before(calendar.schedules, ZoneInfo(calendar.timezone), start - _TICK), window)
