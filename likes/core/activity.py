"""Counting what people do: which days a player was there, and what that says. Days are UTC days.

Nothing is stored here. The trap: today is not over, so a streak that reaches yesterday still stands.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

WEEK = 7
ATTENDANCE_DAYS = 10 * WEEK
RETENTION_DAYS = ATTENDANCE_DAYS + 2
MOST_PLAYERS = 2**24  # a bitmap of 2 MiB a day; those who come later have no attendance
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
        """On how many of them they were there."""
        return sum(was_there for _, was_there in self.days)

    @property
    def weeks(self) -> Iterator[tuple[tuple[date, bool], ...]]:
        """Seven days at a time; the last seven end today."""
        return (self.days[first : first + WEEK] for first in range(0, len(self.days), WEEK))


def attendance(last: date, present: Sequence[bool]) -> Attendance:
    """What days in a row, of which ``last`` is the last, say of a player."""
    return Attendance(
        tuple(zip(days_until(last, len(present)), present, strict=True)), current(present), longest(present)
    )


def current(present: Sequence[bool]) -> int:
    """The streak that runs: up to today, or up to yesterday while they were not there today."""
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
    """That many days, the oldest first."""
    return [last - timedelta(days=back) for back in range(count - 1, -1, -1)]


def seconds_kept(day: date, at: datetime) -> int:
    """How long Redis keeps a day's keys from now on."""
    return max(1, (RETENTION_DAYS - (day_of(at) - day).days) * 86_400)
