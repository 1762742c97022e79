"""Convert instants to whole milliseconds since 1970 and back.

Code uses aware datetimes, and integers where time is packed or compared. The trap: seconds as a float lose the last
milliseconds, so no float is used here.
"""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(at: datetime) -> int:
    """Return whole milliseconds since 1970, rounded down. ``at`` must be aware."""
    return (at - EPOCH) // _MILLISECOND


def from_milliseconds(ms: int) -> datetime:
    """Return the instant in UTC."""
    return EPOCH + timedelta(milliseconds=ms)
