"""Reading activity: a player's attendance, visitors by day, hits of pages.

While Redis is unavailable SQL answers, as of the last flush a minute ago; what SQL cannot answer is None.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import BinaryField, Sum
from django.db.models.functions import Substr

from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import Player
from likes.core.activity import ATTENDANCE_DAYS, WEEK, Attendance, attendance, day_of, days_until
from likes.models import ActivityDay, PageHits, PlayerNumber
from likes.stores.activity import ActivityStore

logger = logging.getLogger(__name__)

CHART_DAYS = 30
PAGES_SHOWN = 50


@dataclass(frozen=True, slots=True)
class DayCounts:
    """A UTC day: different visitors (an estimate), and players who attended (exact)."""

    day: date
    visitors: int
    players: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Distinct visitors over several days; None while Redis is unavailable, because only it can merge days."""

    week: int | None
    month: int | None
    last_month: int | None


@dataclass(frozen=True, slots=True)
class PageCounts:
    """How often a page was opened today and in the last seven days, today included."""

    page: str
    today: int
    week: int


def attendance_of(player: Player, at: datetime) -> Attendance:
    """The player's last ten weeks. They count as present today, because they are asking."""
    number = PlayerNumber.objects.filter(player=player).values_list("number", flat=True).first()
    today = day_of(at)
    before = days_until(today, ATTENDANCE_DAYS)[:-1]
    return attendance(today, [*([False] * len(before) if number is None else _attended(number, before)), True])


def _attended(number: int, days: Sequence[date]) -> list[bool]:
    try:
        bits = ActivityStore(redis.boards()).attended(number, days)
    except Unavailable as error:
        logger.info("attendance is read from SQL: %s", error.detail)
        bits = [None] * len(days)
    if None not in bits:
        return [bool(bit) for bit in bits]
    in_sql = _attended_in_sql(number, days)
    return [bool(in_sql.get(day)) if bit is None else bit for day, bit in zip(days, bits, strict=True)]


def _attended_in_sql(number: int, days: Sequence[date]) -> dict[date, bool]:
    """Read the player's byte of each day's bitmap. Redis numbers bits from the left."""
    rows = ActivityDay.objects.filter(day__in=days).exclude(attendance=b"")
    byte = Substr("attendance", number // 8 + 1, 1, output_field=BinaryField())
    bytes_of = rows.annotate(byte=byte).values_list("day", "byte")
    return {day: bool(byte and bytes(byte)[0] & 0x80 >> number % 8) for day, byte in bytes_of}


def by_day(at: datetime) -> list[DayCounts]:
    """The last 30 days up to today, the oldest first, as of the last flush."""
    days = days_until(day_of(at), CHART_DAYS)
    rows = ActivityDay.objects.filter(day__in=days).values_list("day", "visitors_count", "attendance_count")
    counts = {row[0]: row[1:] for row in rows}
    return [DayCounts(day, *counts.get(day, (0, 0))) for day in days]


def totals(at: datetime) -> Totals:
    """The distinct visitors of the last seven days, of this month, and of the month before."""
    today = day_of(at)
    month = days_until(today, today.day)
    before = month[0] - timedelta(days=1)
    spans = days_until(today, WEEK), month, days_until(before, before.day)
    try:
        week, this, last = (ActivityStore(redis.boards()).visitors(days) for days in spans)
    except Unavailable as error:
        logger.info("days cannot be joined now: %s", error.detail)
        return Totals(None, None, None)
    return Totals(week, this, last)


def hits(at: datetime) -> list[PageCounts]:
    """The pages with most hits in the last seven days, as of the last flush but one."""
    today = day_of(at)
    rows = PageHits.objects.filter(day__gt=today - timedelta(days=WEEK), day__lte=today)
    week = list(rows.values("page").annotate(week=Sum("count")).order_by("-week", "page")[:PAGES_SHOWN])
    now = dict(rows.filter(day=today).values_list("page", "count"))
    return [PageCounts(row["page"], now.get(row["page"], 0), row["week"]) for row in week]
