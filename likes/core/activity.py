"""Attendance and streaks of a player, as pure functions. Days are UTC days.

The trap: today is not over, so a streak that ends yesterday is still current.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

WEEK = 7
ATTENDANCE_DAYS = 10 * WEEK
RETENTION_DAYS = ATTENDANCE_DAYS + 2
MOST_PLAYERS = 2**24  # a bitmap of 2 MiB a day; later players have no attendance
MOST_PAGES = 5_000
OTHER_PAGES = "other"


@dataclass(frozen=True, slots=True)
class Attendance:
    """The days on which a player was there, the oldest first, each with its date; streaks are in days."""

    days: tuple[tuple[date, bool], ...]
    current: int
    longest: int

    @property
    def present(self) -> int:
        """The number of days on which the player was there."""
        return sum(is_present for _, is_present in self.days)

    @property
    def weeks(self) -> Iterator[tuple[tuple[date, bool], ...]]:
        """The days in groups of seven; the last group ends today."""
        return (self.days[first : first + WEEK] for first in range(0, len(self.days), WEEK))


def attendance(last: date, present: Sequence[bool]) -> Attendance:
    """The attendance over consecutive days up to ``last``; ``present`` says for each if the player was there."""
    days = tuple(zip(days_until(last, len(present)), present, strict=True))
    return Attendance(days, current(present), longest(present))


def current(present: Sequence[bool]) -> int:
    """The current streak: up to today, or up to yesterday if the player was not there today."""
    until_now = present if not present or present[-1] else present[:-1]
    return _streaks(until_now)[-1] if until_now and until_now[-1] else 0


def longest(present: Sequence[bool]) -> int:
    """The longest streak among these days."""
    return max(_streaks(present), default=0)


def _streaks(present: Sequence[bool]) -> list[int]:
    return [len(list(days)) for was_there, days in groupby(present) if was_there]


def day_of(at: datetime) -> date:
    """The UTC day of an instant."""
    return at.astimezone(UTC).date()


def days_until(last: date, count: int) -> list[date]:
    """``count`` days up to ``last``, the oldest first."""
    return [last - timedelta(days=back) for back in range(count - 1, -1, -1)]


def seconds_kept(day: date, at: datetime) -> int:
    """For how many seconds from ``at`` Redis keeps a day's keys."""
    return max(1, (RETENTION_DAYS - (day_of(at) - day).days) * 86_400)
