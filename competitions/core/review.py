"""The review, during which a closed result is provisional: it ends by a confirmation or after its length.

The trap: a review of 0 hours is set and ends at once; only an unset (None) review takes the default.
"""

from datetime import datetime, timedelta

DEFAULT = timedelta(hours=24)  # of competitions with prizes or a freeze
NONE = timedelta()


def default_review(has_freeze: bool, has_prizes: bool) -> timedelta:
    """Return the default length of a review; prizes are rewards and the points of a series."""
    return DEFAULT if has_freeze or has_prizes else NONE


def review_length(hours: int | None, default: timedelta) -> timedelta:
    """Return the length of a review of ``hours``; None takes ``default``."""
    return default if hours is None else timedelta(hours=hours)


def is_reviewed(closed_at: datetime, length: timedelta, at: datetime) -> bool:
    """Whether the review that began at the closing is over at ``at``."""
    return closed_at + length <= at
