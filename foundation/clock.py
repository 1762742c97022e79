"""The only place that reads the clock; everything else is told the time as ``at``."""

from datetime import UTC, datetime
from time import monotonic

__all__ = ["monotonic", "now"]


def now() -> datetime:
    """The present instant, in UTC."""
    return datetime.now(UTC)
