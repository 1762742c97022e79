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
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from foundation.messages import Message
from leaderboards.core.instants import first_second
from leaderboards.core.schedule_labels import start_label
from leaderboards.errors import BadBoard

FEWEST_MINUTES = 10  # between two starts
MOST_OPEN_MINUTES = 366 * 1440
MOST_CHARACTERS = 100
FIELDS = (Message("minute"), Message("hour"), Message("day of month"), Message("month"), Message("day of week"))
NICKNAMES = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip  # as a table
# What one number of each field may be.
BOUNDS = (
    Message("0 to 59"),
    Message("0 to 23"),
    Message("1 to 31"),
    Message("1 to 12, or JAN to DEC"),
    Message("0 to 7, or SUN to SAT"),
)

_DAY, _MINUTE, _SECOND, _TICK = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1), timedelta(microseconds=1)
_NEAR = 2 * _DAY  # no zone has put its clock by more than a day
_LAST = datetime(9999, 12, 30, tzinfo=UTC)
_SAMPLES = 500  # starts from which the longest distance of an expression is taken
_YEARS = 28  # after so many years the days of the week come again, but for 29 February in most centuries
_SAMPLE_FROM = datetime(2024, 1, 1)  # noqa: DTZ001 - a clock's time, which has no zone
_SAMPLE_UNTIL = _SAMPLE_FROM.replace(year=_SAMPLE_FROM.year + _YEARS)


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


class Distances(NamedTuple):
    """The shortest and the longest time between two starts, on a clock without zone."""

    shortest: timedelta
    longest: timedelta


def check_schedule(expression: str, open_minutes: int | None) -> Distances:
    """Return the distances between its starts. Raises ``BadBoard`` if these windows cannot be."""
    distances = _distances(expression)
    fewest = int(distances.shortest / _MINUTE)
    if fewest < FEWEST_MINUTES:
        raise BadBoard(
            Message(
                "The schedule starts again after %(found)s min: at least %(least)s min must lie between two starts.",
                found=fewest,
                least=FEWEST_MINUTES,
            ),
            "schedule",
        )
    if open_minutes is not None:
        if isinstance(open_minutes, bool) or not isinstance(open_minutes, int):
            raise BadBoard(Message("`open_minutes` is a whole number of minutes, or empty."), "open_minutes")
        if not 1 <= open_minutes <= MOST_OPEN_MINUTES:
            raise BadBoard(
                Message("`open_minutes` is 1 to %(most)s, or empty.", most=MOST_OPEN_MINUTES), "open_minutes"
            )
        if open_minutes > fewest:
            raise BadBoard(
                Message(
                    "The windows overlap: each is open for %(open)s min, and the next starts after %(between)s min. "
                    "Set `open_minutes` to at most %(most)s, or leave it empty.",
                    open=open_minutes,
                    between=fewest,
                    most=fewest,
                ),
                "open_minutes",
            )
    return distances


@lru_cache(maxsize=256)
def _distances(expression: str) -> Distances:
    fields = expression.split()
    if expression.lstrip().startswith("@"):
        raise BadBoard(_nickname(expression.strip()), "schedule")
    if len(expression) > MOST_CHARACTERS or len(fields) != len(FIELDS) or not expression.isascii():
        raise BadBoard(
            Message(
                "`schedule` has five fields (minute, hour, day of month, month, day of week), such as `0 18 * * 5` for "
                "Fridays at 18:00."
            ),
            "schedule",
        )
    try:
        first = list(islice(CronSim(expression, _SAMPLE_FROM), _SAMPLES))
    except CronSimError:
        raise BadBoard(_unreadable(fields), "schedule") from None
    if len(first) < 2:
        raise BadBoard(_never_starts(), "schedule")
    return Distances(_shortest(expression), max(later - earlier for earlier, later in pairwise(first)))


def _shortest(expression: str) -> timedelta:
    """Return the shortest time between two starts, within a day or from one day with starts to the next.

    The days of ``_YEARS`` suffice: each year of the calendar is one of them, and begins with the same day of the week.
    """
    minute, hour, *days = expression.split()
    clock = CronSim(f"{minute} {hour} * * *", _SAMPLE_FROM)
    times = sorted(timedelta(hours=each, minutes=rest) for each in clock.hours for rest in clock.minutes)
    found = [later - earlier for earlier, later in pairwise(times)]
    starts = takewhile(lambda day: day < _SAMPLE_UNTIL, CronSim(" ".join(["0", "0", *days]), _SAMPLE_FROM))
    fewest_days = None
    for earlier, later in pairwise(starts):
        fewest_days = later - earlier if fewest_days is None else min(fewest_days, later - earlier)
        if fewest_days == _DAY:
            break
    if fewest_days is not None:
        found.append(fewest_days - times[-1] + times[0])
    return min(found, default=_YEARS * 365 * _DAY)


def _nickname(text: str) -> Message:
    """Say what to write in place of ``@daily``, and that intervals such as ``@every 72h`` do not exist."""
    if written := NICKNAMES.get(text.lower()):
        return Message(
            "`schedule`: %(text)s is a short form that is not known here. Write `%(written)s`.",
            text=text,
            written=written,
        )
    return Message(
        "`schedule`: %(text)s is not known here. There are no intervals: a schedule names times of the clock and days, "
        "such as `0 */6 * * *` for every six hours or `0 0 * * MON,THU` for Mondays and Thursdays.",
        text=text[:40],
    )


def _never_starts() -> Message:
    return Message("The schedule never starts: no month has such a day.")


def _unreadable(fields: list[str]) -> Message:
    """Say which of the five fields cannot be read."""
    for nth, text in enumerate(fields):
        alone = ["*"] * len(FIELDS)
        alone[nth] = text
        try:
            CronSim(" ".join(alone), _SAMPLE_FROM)
        except CronSimError:
            return Message(
                "`schedule`: %(text)s is no %(field)s: it takes %(bounds)s, also as 1-5, 1,3 or */2, and *.",
                text=repr(text),
                field=FIELDS[nth],
                bounds=BOUNDS[nth],
            )
    return _never_starts()


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
