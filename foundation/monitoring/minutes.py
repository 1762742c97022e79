"""How many scores came in each of the last sixty minutes, by board: what the admin draws as bars.

A count costs about a microsecond: it is kept in this process, and a thread of its own writes the process's record of
the minute to the page cache's Redis every few seconds, while there is something to write. Each process overwrites its
own records alone, so nothing is counted twice however often it is written, and what a process counted stays when it
ends. The trap: the cache may be emptied or away. So the minute of the first record is kept too, and what lies before it
is not known, which is not the same as nothing.
"""

import atexit
import json
import logging
import os
import secrets
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_redis import get_redis_connection
from redis.exceptions import RedisError

from foundation import clock
from foundation.conf import page_cache_alias

logger = logging.getLogger(__name__)

MINUTES = 60
WRITTEN_EVERY_SECONDS = 5.0
KEPT_SECONDS = (MINUTES + 5) * 60
MOST_NAMES = 250  # of boards, and of codes, in one record; what is beyond counts in the total alone
PREFIX = "plain:minutes"  # within what the page cache's user may touch
WHO, SINCE = f"{PREFIX}:who", f"{PREFIX}:since"


@dataclass(slots=True)
class Minute:
    """What came within one minute: all, what was refused, both by board, and refusals by code."""

    total: int = 0
    refused: int = 0
    by_board: Counter[str] = field(default_factory=Counter)
    refused_by_board: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> str:
        """As a record."""
        kept = [self.total, self.refused, self.by_board, self.refused_by_board, self.codes]
        return json.dumps(kept, separators=(",", ":"))

    def add_record(self, text: bytes) -> None:
        """Count what another record says. What is no record of ours counts nothing."""
        try:
            total, refused, *named = json.loads(text)
            numbers = int(total), int(refused)
            by_board, refused_by_board, codes = [
                {str(name): int(count) for name, count in other.items()} for other in named
            ]
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            logger.warning("a record of scores a minute cannot be read")
            return
        self.total, self.refused = self.total + numbers[0], self.refused + numbers[1]
        self.by_board.update(by_board)
        self.refused_by_board.update(refused_by_board)
        self.codes.update(codes)


@dataclass(frozen=True, slots=True)
class Hour:
    """The last sixty minutes, the present one last; ``None`` for a minute of which nothing is known."""

    minutes: tuple[Minute | None, ...]

    @property
    def total(self) -> Minute:
        """All that is known, added up."""
        found = Minute()
        for minute in filter(None, self.minutes):
            found.total += minute.total
            found.refused += minute.refused
            found.by_board.update(minute.by_board)
            found.refused_by_board.update(minute.refused_by_board)
            found.codes.update(minute.codes)
        return found

    def of_board(self, board: int) -> list[int | None]:
        """A board's scores, minute by minute."""
        return [None if minute is None else minute.by_board[str(board)] for minute in self.minutes]


class _Own:
    """What this process has counted and not written, or may yet add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._who, self._pid = "", 0
        self._minutes: dict[int, Minute] = {}
        self._unwritten: set[int] = set()
        self._is_due = False
        self._timer: threading.Timer | None = None
        self._has_ended = False

    def add(self, board: str, code: str | None, count: int = 1) -> None:
        """Count entries of a board; ``code`` is that of a refusal."""
        now = int(clock.now().timestamp()) // 60
        with self._lock:
            minute = self._minutes.get(now)
            if minute is None:
                minute = self._minutes[now] = Minute()
            minute.total += count
            _count(minute.by_board, board, count)
            if code is not None:
                minute.refused += count
                _count(minute.refused_by_board, board, count)
                _count(minute.codes, code, count)
            self._unwritten.add(now)
            if self._is_due or self._has_ended:
                return
            self._is_due = True
            self._timer = timer = threading.Timer(WRITTEN_EVERY_SECONDS, self.write)
        timer.daemon = True
        timer.start()

    def end(self) -> None:
        """Write nothing more by itself, and no log line: at the end of the process its streams may be closed."""
        with self._lock:
            self._has_ended = True
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def write(self) -> None:
        """Write what has changed. Where that fails it is tried again with what comes next."""
        with self._lock:
            self._is_due = False
            if self._pid != os.getpid():
                self._who, self._pid = secrets.token_hex(6), os.getpid()
            records = {minute: self._minutes[minute].as_json() for minute in self._unwritten}
            self._unwritten.clear()
        try:
            _write(self._who, records)
        except Exception as error:  # whatever it is, it fails no score and ends no thread with a trace
            if not self._has_ended:
                logger.info("scores a minute are not written now: %s", error)
            with self._lock:
                self._unwritten.update(records.keys() & self._minutes.keys())
        self._forget_old()

    def _forget_old(self) -> None:
        oldest = _minute_now() - MINUTES
        with self._lock:
            for minute in [each for each in self._minutes if each < oldest]:
                del self._minutes[minute]
                self._unwritten.discard(minute)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._minutes.clear()
            self._unwritten.clear()
            self._pid = 0


_own = _Own()
add = _own.add
write = _own.write
forget = _own.forget
atexit.register(_own.end)


def last_hour() -> Hour | None:
    """What all processes counted; None while the page cache's Redis is away: then nobody knows."""
    now = _minute_now()
    wanted = range(now - MINUTES + 1, now + 1)
    try:
        client = get_redis_connection(page_cache_alias())
        since, who = client.pipeline().get(SINCE).zrangebyscore(WHO, 60 * wanted.start, "+inf").execute()
        keys = [(minute, _key(minute, name.decode())) for minute in wanted for name in who]
        records = client.mget([key for _, key in keys]) if keys else []
    except (RedisError, OSError) as error:
        logger.info("scores a minute cannot be read: %s", error)
        return None
    first = int(since) if since and since.isdigit() else now
    found: dict[int, Minute] = {minute: Minute() for minute in wanted if minute >= first}
    for (minute, _), record in zip(keys, records, strict=True):
        if record is not None:
            found.setdefault(minute, Minute()).add_record(record)
    return Hour(tuple(found.get(minute) for minute in wanted))


def _write(who: str, records: Mapping[int, str]) -> None:
    if not records:
        return
    now = _minute_now()
    pipe: Any = get_redis_connection(page_cache_alias()).pipeline(transaction=False)
    pipe.set(SINCE, min(records), nx=True)
    for minute, record in records.items():
        pipe.set(_key(minute, who), record, ex=KEPT_SECONDS)
    pipe.zadd(WHO, {who: 60 * now})
    pipe.zremrangebyscore(WHO, "-inf", 60 * (now - MINUTES - 5))
    pipe.execute()


def _key(minute: int, who: str) -> str:
    return f"{PREFIX}:{minute}:{who}"


def _count(counter: Counter[str], name: str, count: int) -> None:
    known = counter.get(name)
    if known is not None or len(counter) < MOST_NAMES:
        counter[name] = count + (known or 0)


def _minute_now() -> int:
    return int(clock.now().timestamp()) // 60
