"""What people do, as Redis counts it: hits of pages, visitors, attendance; a view of a page is one round trip.

Nothing here is exact if Redis dies: what it had not written to disk is gone. The trap: a day's visitors and its
attendance are unions that only grow, so SQL's copy is merged with Redis's, and neither ever overwrites the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from foundation.redis.client import Argument, RedisClient
from likes.core.activity import MOST_PAGES, OTHER_PAGES, day_of, seconds_kept
from likes.core.keys import DayKeys
from likes.stores.lua import script


@dataclass(frozen=True, slots=True)
class Visit:
    """A view of a page: ``visitor`` stands for one person, ``number`` is the bit of a player who is signed in."""

    page: str
    visitor: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MergedDay:
    """A day's unions, as bytes that Redis takes back as they are, and what they hold."""

    visitors: bytes
    visitors_count: int
    attendance: bytes
    attendance_count: int


class ActivityStore:
    """Redis's part of the counting. Every call raises what the link raises."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def visit(self, visit: Visit, at: datetime) -> None:
        """Count it, on the UTC day of ``at``."""
        day = day_of(at)
        keys = DayKeys(day)
        number: Argument = "" if visit.number is None else visit.number
        args: list[Argument] = [visit.page, visit.visitor, number, seconds_kept(day, at), MOST_PAGES, OTHER_PAGES]
        self._link.run(script("visit"), [keys.hits, keys.visitors, keys.attendance], args)

    def stage_hits(self, day: date, flush: int) -> bool:
        """Take the day's hits aside for this flush, once; whether it has any."""
        keys = DayKeys(day)
        args = [flush, self._link.deadline_ms()]
        return bool(self._link.run(script("stage_hits"), [keys.hits, keys.staged_hits(flush)], args))

    def staged_hits(self, day: date, flush: int) -> dict[str, int]:
        """The hits that were taken aside, by page."""
        cells = self._link.call("HGETALL", DayKeys(day).staged_hits(flush))
        pairs = cells.items() if isinstance(cells, dict) else zip(cells[::2], cells[1::2], strict=True)
        return {page.decode(): int(count) for page, count in pairs}

    def drop_staged_hits(self, day: date, flush: int) -> None:
        """They are in SQL."""
        self._link.call("UNLINK", DayKeys(day).staged_hits(flush))

    def merge(self, day: date, visitors: bytes, attendance: bytes, at: datetime) -> MergedDay:
        """What Redis and SQL have of the day together; Redis has all of it from here on."""
        keys = DayKeys(day)
        args: list[Argument] = [visitors, attendance, seconds_kept(day, at)]
        answer = self._link.run(script("merge"), [keys.visitors, keys.attendance, keys.scratch], args)
        return MergedDay(bytes(answer[0]), int(answer[1]), bytes(answer[2]), int(answer[3]))

    def days_with_hits(self, days: Sequence[date]) -> list[date]:
        """Those that have hits which no flush has taken."""
        return self._there(days, [DayKeys(day).hits for day in days])

    def days_with_visitors(self, days: Sequence[date]) -> list[date]:
        """Those whose visitors Redis has."""
        return self._there(days, [DayKeys(day).visitors for day in days])

    def days_with_attendance(self, days: Sequence[date]) -> list[date]:
        """Those whose attendance Redis has."""
        return self._there(days, [DayKeys(day).attendance for day in days])

    def visitors(self, days: Sequence[date]) -> int:
        """How many different visitors there were on these days together, within ±0.81 % (standard error)."""
        return int(self._link.call("PFCOUNT", *(DayKeys(day).visitors for day in days)))

    def attended(self, number: int, days: Sequence[date]) -> list[bool | None]:
        """Whether the player of this number was there on each day; None for a day that Redis does not have."""
        keys = [DayKeys(day).attendance for day in days]
        answer = self._link.run(script("attended"), keys, [number])
        return [None if bit is None else bool(bit) for bit in answer]

    def _there(self, days: Sequence[date], keys: Sequence[str]) -> list[date]:
        found: list[Any] = self._link.run(script("exists"), keys, [])
        return [day for day, is_there in zip(days, found, strict=True) if is_there]
