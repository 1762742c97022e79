"""Convert instants to whole milliseconds since 1970 and back.

Code uses aware datetimes, and integers where time is packed or compared. The trap: seconds as a float lose the last
milliseconds, so no float is used here.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND, _ONE_SECOND = timedelta(milliseconds=1), timedelta(seconds=1)


def milliseconds(at: datetime) -> int:
    """Return whole milliseconds since 1970, rounded down. ``at`` must be aware."""
    return (at - EPOCH) // _MILLISECOND


def from_milliseconds(ms: int) -> datetime:
    """Return the instant in UTC."""
    return EPOCH + timedelta(milliseconds=ms)


def first_second(before: datetime, after: datetime, is_true: Callable[[datetime], bool]) -> datetime:
    """Return the first second in (``before``, ``after``] from which on ``is_true``."""
    while after - before > _ONE_SECOND:
        middle = before + (after - before) // _ONE_SECOND // 2 * _ONE_SECOND
        before, after = (before, middle) if is_true(middle) else (middle, after)
    return after
