"""Activity in Redis: hits of pages, visitors, attendance. A page view is one round trip.

If Redis dies, what it had not written to disk is lost. The trap: a day's visitors and attendance are sets that only
grow, so SQL's copy and Redis's are merged, and neither overwrites the other.
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
    """A page view: ``visitor`` identifies one person, ``number`` is the bit of a signed-in player."""

    page: str
    visitor: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MergedDay:
    """A day's merged sets, as bytes that can be written to Redis again, and their counts."""

    visitors: bytes
    visitors_count: int
    attendance: bytes
    attendance_count: int


class ActivityStore:
    """Activity in Redis. Every method may raise Redis errors."""

    def __init__(self, client: RedisClient) -> None:
        self._redis = client

    def visit(self, visit: Visit, at: datetime) -> None:
        """Count a visit on the UTC day of ``at``."""
        day = day_of(at)
        keys = DayKeys(day)
        number: Argument = "" if visit.number is None else visit.number
        args: list[Argument] = [visit.page, visit.visitor, number, seconds_kept(day, at), MOST_PAGES, OTHER_PAGES]
        self._redis.run(script("visit"), [keys.hits, keys.visitors, keys.attendance], args)

    def stage_hits(self, day: date, flush: int) -> bool:
        """Move the day's hits aside for this flush, once; return whether it has any."""
        keys = DayKeys(day)
        args = [flush, self._redis.deadline_ms(keys.hits)]
        return bool(self._redis.run(script("stage_hits"), [keys.hits, keys.staged_hits(flush)], args))

    def staged_hits(self, day: date, flush: int) -> dict[str, int]:
        """The staged hits of a flush, by page."""
        cells = self._redis.call("HGETALL", DayKeys(day).staged_hits(flush))
        pairs = cells.items() if isinstance(cells, dict) else zip(cells[::2], cells[1::2], strict=True)
        return {page.decode(): int(count) for page, count in pairs}

    def drop_staged_hits(self, day: date, flush: int) -> None:
        """Delete the staged hits, after SQL has counted them."""
        self._redis.call("UNLINK", DayKeys(day).staged_hits(flush))

    def merge(self, day: date, visitors: bytes, attendance: bytes, at: datetime) -> MergedDay:
        """Merge SQL's sets of the day into Redis's; return the result."""
        keys = DayKeys(day)
        args: list[Argument] = [visitors, attendance, seconds_kept(day, at)]
        answer = self._redis.run(script("merge"), [keys.visitors, keys.attendance, keys.scratch], args)
        return MergedDay(bytes(answer[0]), int(answer[1]), bytes(answer[2]), int(answer[3]))

    def days_with_hits(self, days: Sequence[date]) -> list[date]:
        """The days with hits that are not staged."""
        return self._existing(days, [DayKeys(day).hits for day in days])

    def days_with_visitors(self, days: Sequence[date]) -> list[date]:
        """The days whose visitors Redis has."""
        return self._existing(days, [DayKeys(day).visitors for day in days])

    def days_with_attendance(self, days: Sequence[date]) -> list[date]:
        """The days whose attendance Redis has."""
        return self._existing(days, [DayKeys(day).attendance for day in days])

    def visitors(self, days: Sequence[date]) -> int:
        """The number of distinct visitors over these days, with a standard error of 0.81 %."""
        return int(self._redis.call("PFCOUNT", *(DayKeys(day).visitors for day in days)))

    def attended(self, number: int, days: Sequence[date]) -> list[bool | None]:
        """Whether the player with this number was there on each day; None for days that Redis does not have."""
        keys = [DayKeys(day).attendance for day in days]
        answer = self._redis.run(script("attended"), keys, [number])
        return [None if bit is None else bool(bit) for bit in answer]

    def _existing(self, days: Sequence[date], keys: Sequence[str]) -> list[date]:
        answers: list[Any] = self._redis.run(script("exists"), keys, [])
        return [day for day, exists in zip(days, answers, strict=True) if exists]
