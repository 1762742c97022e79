"""Windows by a cron expression: when they start and end, and what they are called.

``cronsim`` reads an expression and steps over times of a clock without zone. This module maps them to instants, by the
rules of Debian's cron. If neither minute nor hour begins with ``*``, a time that the clock omits counts at the first
instant after the jump, and a time that it shows twice counts once, the first time. Otherwise a start is wherever the
clock shows such a time: never in an hour that it omits, twice in a repeated one.

The trap: in a repeated hour the order of clock times is not the order of instants; only ``starts_after`` handles that.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim

from leaderboards.core.instants import first_second
from leaderboards.core.schedule_labels import start_label

_DAY, _MINUTE, _SECOND, _TICK = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1), timedelta(microseconds=1)
_NEAR = 2 * _DAY  # no zone has put its clock by more than a day
_LAST = datetime(9999, 12, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Windows start by ``expression``, before ``until`` (None: for good), and are open for ``open_minutes``.

    Whole days of ``open_minutes`` count by the calendar (until the same time of the clock), the rest in elapsed time.
    None: each window is open until the next one starts.
    """

    expression: str
    open_minutes: int | None = None
    until: datetime | None = None


class Span(NamedTuple):
    """A window's label, start (inclusive) and end (exclusive) in UTC."""

    label: str
    starts_at: datetime
    ends_at: datetime


# --- Starts: where the clock's times meet instants ------------------------------------------------


def starts_after(expression: str, zone: ZoneInfo, at: datetime) -> Iterator[datetime]:
    """Yield the starts after ``at``, in order and in UTC; none after the last year that dates have."""
    waiting: list[datetime] = []  # second times of repeated clock times
    is_fixed, last = _is_fixed(expression), at
    for wall in _walls(CronSim(expression, _wall(at, zone) - _margin(zone, at))):
        first, second = _instants(wall, zone, is_fixed)
        if first is None:
            continue
        heapq.heappush(waiting, first)
        if second is not None:
            heapq.heappush(waiting, second)
        while waiting and waiting[0] <= first:
            start = heapq.heappop(waiting)
            if start > last:
                last = start
                yield start


def last_start(expression: str, zone: ZoneInfo, at: datetime) -> datetime | None:
    """Return the latest start at or before ``at``; None if there was none for 50 years."""
    is_fixed = _is_fixed(expression)
    for wall in _walls(CronSim(expression, _wall(at, zone) + _margin(zone, at) + _SECOND, reverse=True)):
        first, _second = _instants(wall, zone, is_fixed)
        if first is not None and first <= at:
            later = takewhile(lambda start: start <= at, starts_after(expression, zone, first - _TICK))
            return max(later, default=None)
    return None


def _margin(zone: ZoneInfo, at: datetime) -> timedelta:
    """Return how far to look beside ``at``: a day if the zone's clock is put back or forward near it, else nothing."""
    offsets = {(at + beside).astimezone(zone).utcoffset() for beside in (-_NEAR, timedelta(), _NEAR)}
    return _DAY if len(offsets) > 1 else timedelta()


def _walls(steps: Iterable[datetime]) -> Iterator[datetime]:
    """Yield the clock's times; stop where dates end."""
    try:
        yield from steps
    except (OverflowError, ValueError):
        return


def _is_fixed(expression: str) -> bool:
    minute, hour = expression.split()[:2]
    return not minute.startswith("*") and not hour.startswith("*")


def _instants(wall: datetime, zone: ZoneInfo, is_fixed: bool) -> tuple[datetime | None, datetime | None]:
    """Return when the clock shows ``wall``, and when it shows it again if that counts; None where it does not."""
    first = wall.replace(tzinfo=zone).astimezone(UTC)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if _wall(first, zone) != wall:
        return (first_instant_from(wall, zone), None) if is_fixed else (None, None)
    return first, second if second > first and not is_fixed else None


def first_instant_from(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which the zone's clock shows ``wall``; if it omits that time, the first after it."""
    start = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if _wall(start, zone) == wall:
        return start
    # With the offset of after the jump, a time that is left out is an instant before the jump.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return first_second(before, start, lambda at: _wall(at, zone) >= wall)


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None)


# --- Windows --------------------------------------------------------------------------------------


def span_after(schedules: Sequence[Schedule], zone: ZoneInfo, at: datetime) -> Span | None:
    """Return the first window that starts after ``at``."""
    for nth, schedule in enumerate(schedules):
        if schedule.until is None or schedule.until > at:
            earliest = max(at, _since(schedules, nth) - _TICK)
            start = next(starts_after(schedule.expression, zone, earliest), None)
            if start is not None and (schedule.until is None or start < schedule.until):
                return _span(schedule, zone, start)
    return None


def span_before(schedules: Sequence[Schedule], zone: ZoneInfo, at: datetime) -> Span | None:
    """Return the last window that started at or before ``at``."""
    for nth, schedule in reversed(list(enumerate(schedules))):
        since = _since(schedules, nth)
        if since <= at:
            latest = at if schedule.until is None else min(at, schedule.until - _TICK)
            start = last_start(schedule.expression, zone, latest)
            if start is not None and start >= since:
                return _span(schedule, zone, start)
    return None


def _since(schedules: Sequence[Schedule], nth: int) -> datetime:
    return (schedules[nth - 1].until if nth else None) or datetime.min.replace(tzinfo=UTC) + _DAY


def _span(schedule: Schedule, zone: ZoneInfo, start: datetime) -> Span:
    following = next(starts_after(schedule.expression, zone, start), _LAST)
    end = following if schedule.open_minutes is None else min(following, _end(start, schedule.open_minutes, zone))
    return Span(start_label(start, zone), start, end if schedule.until is None else min(end, schedule.until))


def _end(start: datetime, open_minutes: int, zone: ZoneInfo) -> datetime:
    """Return the end: whole days by the calendar, then the rest in elapsed time."""
    days, rest = divmod(open_minutes, 1440)
    begun = first_instant_from(_wall(start, zone) + days * _DAY, zone) if days else start
    return begun + rest * _MINUTE
