"""The only module that reads the clock; all other code takes the time as a parameter ``at``.

SQL's clock is the reference for all processes. A process whose clock differs from it by more than two seconds

- takes no submissions: they could count in the wrong period or break ties wrongly;
- accepts no signed requests: a captured one could be replayed once its nonce is deleted;
- does nothing irreversible (open, close, freeze, reward, expire, compact): such work takes its time from
  ``trusted_now``.

``FAST_CLOCK`` makes days pass in seconds, for rehearsals and tests: "<real>,<shown>,<speed>", the first two in
seconds since 1970. Processes with the same text agree on the time. SQL's clock is ignored then.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic, time

from django.db import Error as SqlError
from django.db import connection

from foundation.errors import Unavailable
from foundation.messages import Message

__all__ = [
    "ClockOff",
    "freeze_at",
    "is_fast",
    "is_off",
    "monotonic",
    "now",
    "offset_from_sql",
    "refuse_if_off",
    "trusted_now",
]

TOLERATED = timedelta(seconds=2)
COMPARED_EVERY_SECONDS = 10.0


class ClockOff(Unavailable):
    """This process's clock differs too much from SQL's."""


def _read_fast_clock(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    real, shown, speed = (float(part) for part in text.split(","))
    return real, shown, speed


_FAST = _read_fast_clock(os.environ.get("FAST_CLOCK", ""))


def now() -> datetime:
    """The current time, in UTC."""
    if _FAST is None:
        return datetime.now(UTC)
    real, shown, speed = _FAST
    return datetime.fromtimestamp(shown + (time() - real) * speed, UTC)


@contextmanager
def freeze_at(shown: datetime) -> Iterator[None]:
    """Stop this process's clock at ``shown`` within the block, for rehearsals."""
    global _FAST  # noqa: PLW0603 - a process has one clock
    before, _FAST = _FAST, (0.0, shown.timestamp(), 0.0)
    try:
        yield
    finally:
        _FAST = before


def is_fast() -> bool:
    """Whether this process uses ``FAST_CLOCK`` or a frozen clock."""
    return _FAST is not None


def offset_from_sql() -> timedelta:
    """How far this clock is ahead of SQL's; zero on SQLite and with a fast clock."""
    return _compare_with_sql()[1]


def trusted_now() -> datetime:
    """The current time for irreversible work: at most two seconds ahead of SQL's clock, which is read each time.

    Raises ``ClockOff``, and ``django.db.Error`` while SQL is unavailable.
    """
    at, offset = _compare_with_sql()
    if is_off(offset):
        raise ClockOff(
            Message(
                "This process's clock is %(off)s s off SQL's, so it does nothing that cannot be undone. Set the "
                "clock of its machine.",
                off=f"{offset.total_seconds():+.1f}",
            )
        )
    return at


def _compare_with_sql() -> tuple[datetime, timedelta]:
    """Read this clock, then SQL's; return the first reading and how far this clock is ahead."""
    before = now()
    if is_fast() or connection.vendor != "postgresql":
        return before, timedelta()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        sql: datetime = cursor.fetchone()[0]
    after = now()
    # SQL's clock was read at some moment between the two; a slow round trip is no evidence of a difference.
    if before <= sql <= after:
        return before, timedelta()
    return before, before - sql if before > sql else after - sql


def is_off(offset: timedelta) -> bool:
    """Whether the offset is over the tolerance of two seconds."""
    return abs(offset) > TOLERATED


class _Comparison:
    """The last comparison with SQL's clock; it stays in use while SQL is unavailable."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Compare again at the next call."""
        self._made_at: float | None = None
        self._offset = timedelta()

    def offset(self) -> timedelta:
        if self._made_at is None or monotonic() - self._made_at > COMPARED_EVERY_SECONDS:
            self._made_at = monotonic()
            with suppress(SqlError):
                self._offset = offset_from_sql()
        return self._offset


_comparison = _Comparison()
forget_comparison = _comparison.forget


def refuse_if_off() -> None:
    """Raise ``ClockOff`` if this clock is off. It is compared with SQL's every ten seconds."""
    if is_off(_comparison.offset()):
        raise ClockOff(
            "This server's clock is wrong, so it takes no submissions and no signed requests for the moment; try again."
        )
