"""When the copies of a competition take place: once, each week, each month, or by a cron expression, in its zone.

Times keep their place on the clock: an event from Friday 18:00 to Sunday 22:00 has these times in a week in which the
clock changes too, and so lasts an hour more or less. Events of less than a day keep their length instead.
"""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from zoneinfo import ZoneInfo

from competitions.errors import BadCompetition
from foundation.messages import Message
from leaderboards.core.periods import LAST_YEAR
from leaderboards.core.schedule_checks import check_schedule
from leaderboards.core.schedules import first_instant_from, starts_after
from leaderboards.errors import BadBoard

MOST_COPIES = 60
_DAY, _TICK = timedelta(days=1), timedelta(microseconds=1)


class Rhythm(StrEnum):
    """How the starts of several competitions follow each other."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CRON = "cron"


@dataclass(frozen=True, slots=True)
class Plan:
    """When copies start: the first one, how many, and by which rhythm. ``expression`` is the cron expression."""

    first: datetime
    number: int = 1
    rhythm: Rhythm = Rhythm.WEEKLY
    expression: str = ""


def starts_of(plan: Plan, zone: ZoneInfo) -> list[datetime]:
    """Return the starts of a plan in UTC. Raises ``BadCompetition``, with the field that is wrong.

    A month without such a day has it on its last one. A time that the clock skips is the first one after the jump.
    """
    if not 1 <= plan.number <= MOST_COPIES:
        raise BadCompetition(Message("Make 1 to %(most)s at once.", most=MOST_COPIES), "number")
    found = list(islice(_starts(plan, zone), plan.number))
    if len(found) < plan.number or found[-1].year > LAST_YEAR:
        raise BadCompetition(
            Message("Competitions lie in the years up to %(last)s: make fewer.", last=LAST_YEAR), "number"
        )
    return found


def weeks_later(start: datetime, weeks: int, zone: ZoneInfo) -> datetime:
    """Return the same weekday and time of the clock, some weeks after ``start``, in UTC."""
    return first_instant_from(_wall(start, zone) + weeks * 7 * _DAY, zone)


def _starts(plan: Plan, zone: ZoneInfo) -> Iterator[datetime]:
    if plan.rhythm is Rhythm.CRON:
        try:
            check_schedule(plan.expression, None)
        except BadBoard as error:
            raise BadCompetition(error.detail, "expression") from error
        yield from starts_after(plan.expression, zone, plan.first - _TICK)
        return
    yield plan.first.astimezone(UTC)
    for nth in range(1, plan.number):
        if plan.rhythm is Rhythm.WEEKLY:
            yield weeks_later(plan.first, nth, zone)
        else:
            yield first_instant_from(_months_later(_wall(plan.first, zone), nth), zone)


def moved(moment: datetime, start: datetime, new_start: datetime, zone: ZoneInfo) -> datetime:
    """Return ``moment`` as far from ``new_start`` as it lies from ``start``: a day or more by the clock of ``zone``."""
    by_the_clock = _wall(moment, zone) - _wall(start, zone)
    if abs(by_the_clock) < _DAY:  # in UTC, since Python adds and subtracts times of one zone by its clock
        return new_start.astimezone(UTC) + (moment.astimezone(UTC) - start.astimezone(UTC))
    return first_instant_from(_wall(new_start, zone) + by_the_clock, zone)


def _months_later(wall: datetime, months: int) -> datetime:
    nth = wall.month - 1 + months
    year, month = wall.year + nth // 12, nth % 12 + 1
    return wall.replace(year=year, month=month, day=min(wall.day, calendar.monthrange(year, month)[1]))


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)
