"""The only place that reads the clock; everything else is told the time as ``at``.

SQL's clock is what all processes share. A process whose own is more than two seconds off it takes no
submissions: they would land in the wrong period, or break ties wrongly. It lets in no signed requests: a caught one
could come again once its nonce is forgotten. Nor does it do what cannot be undone
(opening, closing, freezing, rewarding, expiring, folding): that takes its time from ``trusted_now``.

``FAST_CLOCK`` lets days pass in seconds, for rehearsals and tests: "<real>,<shown>,<speed>", the first two in
seconds since 1970. Processes that are given the same text agree on the time. SQL's clock says nothing then.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic, time

from django.db import Error as SqlError
from django.db import connection

from foundation.errors import Unavailable

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
    """This process does not know what time it is."""


def _fast(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    real, shown, speed = (float(part) for part in text.split(","))
    return real, shown, speed


_FAST = _fast(os.environ.get("FAST_CLOCK", ""))


def now() -> datetime:
    """The present instant, in UTC."""
    if _FAST is None:
        return datetime.now(UTC)
    real, shown, speed = _FAST
    return datetime.fromtimestamp(shown + (time() - real) * speed, UTC)


@contextmanager
def freeze_at(shown: datetime) -> Iterator[None]:
    """Let this process's clock show nothing but this instant within the block: a rehearsal's own time."""
    global _FAST  # noqa: PLW0603 (the clock of the process)
    before, _FAST = _FAST, (0.0, shown.timestamp(), 0.0)
    try:
        yield
    finally:
        _FAST = before


def is_fast() -> bool:
    """Whether this process lives by a clock of its own."""
    return _FAST is not None


def offset_from_sql() -> timedelta:
    """How far this clock is ahead of SQL's. SQLite has none of its own, and a fast clock none beside it: nothing."""
    return _compared()[1]


def trusted_now() -> datetime:
    """The present instant for what cannot be undone: never later than SQL's clock by more than what is tolerated.

    SQL is asked each time. Raises ``ClockOff``, and ``django.db.Error`` while SQL does not answer.
    """
    at, offset = _compared()
    if is_off(offset):
        raise ClockOff(
            f"This process's clock is {offset.total_seconds():+.1f} s off SQL's, so it does nothing that cannot be "
            "undone. Set the clock of its machine."
        )
    return at


def _compared() -> tuple[datetime, timedelta]:
    """This clock before SQL's was asked, and how far it is ahead."""
    before = now()
    if is_fast() or connection.vendor != "postgresql":
        return before, timedelta()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        sql: datetime = cursor.fetchone()[0]
    after = now()
    # Somewhere between the two readings; a slow round trip proves nothing.
    if before <= sql <= after:
        return before, timedelta()
    return before, before - sql if before > sql else after - sql


def is_off(offset: timedelta) -> bool:
    """Whether that is too far."""
    return abs(offset) > TOLERATED


class _Comparison:
    """The last comparison with SQL's clock. While SQL is silent, what it said last counts."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew."""
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
    """Raise ``ClockOff`` if this clock is off; it is compared every ten seconds."""
    if is_off(_comparison.offset()):
        raise ClockOff(
            "This server's clock is wrong, so it takes no submissions and no signed requests for the moment; try again."
        )
