"""The values of windows of time: a board's calendar, a window, and the kinds of periods."""

from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum
from functools import lru_cache
from zoneinfo import available_timezones

from foundation.messages import Message
from leaderboards.core.schedules import Schedule
from leaderboards.errors import BadBoard

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FIRST_YEAR, LAST_YEAR = 1970, 9998


class PeriodKind(StrEnum):
    """How long a period of a board lasts."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    ALL_TIME = "all_time"
    EVENT = "event"
    SCHEDULE = "schedule"


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Return the IANA zones of this system, without the pseudo zones for the machine's own and for none."""
    return frozenset(available_timezones() - {"localtime", "Factory"})


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a board's periods begin: time zone, first weekday, local time; or its schedules, one after the other.

    Only windows of a schedule may leave gaps, in which no period is open.
    """

    kind: PeriodKind
    timezone: str = "UTC"
    week_start: int = 0
    cutoff: time = time(0, 0)
    schedules: tuple[Schedule, ...] = ()

    def __post_init__(self) -> None:
        if self.timezone not in zone_names():
            raise BadBoard(
                Message(
                    "%(zone)s is no time zone. Use an IANA name such as Asia/Seoul.", zone=repr(self.timezone[:64])
                ),
                "timezone",
            )
        if self.week_start not in range(7):
            raise BadBoard(Message("A week starts on one of: %(days)s.", days=", ".join(WEEKDAYS)), "week_start")
        if self.cutoff.tzinfo or self.cutoff.second or self.cutoff.microsecond:
            raise BadBoard(Message("The cut-off is a local time in hours and minutes, 00:00 to 23:59."), "cutoff")


@dataclass(frozen=True, slots=True)
class Window:
    """A period's start (inclusive) and end (exclusive) in UTC. All time has neither."""

    label: str
    starts_at: datetime | None
    ends_at: datetime | None

    def has_begun(self, at: datetime) -> bool:
        """Whether the window starts at or before ``at``."""
        return self.starts_at is None or self.starts_at <= at

    def contains(self, at: datetime) -> bool:
        """Whether ``at`` is in the window."""
        return self.has_begun(at) and (self.ends_at is None or at < self.ends_at)


ALL_TIME = Window("all", None, None)
