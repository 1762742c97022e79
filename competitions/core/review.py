"""How long a result stays provisional: from the closing on, until somebody confirms it or the review is over.

The trap: a review of no hours is a review too, one that is over as it begins; only an unset one takes the default.
"""

from datetime import datetime, timedelta

DEFAULT = timedelta(hours=24)  # where somebody wins something, points of a series too, or a freeze ends in a reveal
NONE = timedelta()


def default_review(has_freeze: bool, has_prizes: bool) -> timedelta:
    """The length of a review that nobody has set; prizes are rewards, and the points of a series."""
    return DEFAULT if has_freeze or has_prizes else NONE


def review_length(hours: int | None, default: timedelta) -> timedelta:
    """The length of a review of so many hours; None is the default."""
    return default if hours is None else timedelta(hours=hours)


def is_reviewed(closed_at: datetime, length: timedelta, at: datetime) -> bool:
    """Whether the review that began at the closing is over at ``at``."""
    return closed_at + length <= at
