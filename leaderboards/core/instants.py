"""Instants as whole milliseconds since 1970, and back.

Aware datetimes outside, integers where time is packed and compared. The trap: floats. Seconds as
a float lose the last milliseconds, so nothing here ever makes one.
"""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(at: datetime) -> int:
    """Whole milliseconds since 1970, rounded down. ``at`` must be aware."""
    return (at - EPOCH) // _MILLISECOND


def from_milliseconds(ms: int) -> datetime:
    """The instant in UTC."""
    return EPOCH + timedelta(milliseconds=ms)
