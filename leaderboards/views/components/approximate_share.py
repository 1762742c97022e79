"""The part of the players that a viewer belongs to, from the period's histogram, where their rank is not known.

While Redis is away, SQL does not count the rank of a player in the middle of many. Then their card shows this instead.
"""

from dataclasses import dataclass
from datetime import datetime

from foundation.errors import SunwiError
from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import Row

AGE_STEP = 10  # seconds: the age of a page that is refreshed every two seconds changes less often than that


@dataclass(frozen=True, slots=True)
class ApproximateShare:
    """Within the best ``top`` percent, as it was ``age`` seconds ago."""

    top: float
    age: int


def approximate_share(board: Board, label: str, me: Row | None, at: datetime) -> ApproximateShare | None:
    """Return the share of a player whose row has no rank; None if the rank is known, or there is no histogram."""
    if me is None or me.rank is not None:
        return None
    try:
        found = selectors.histogram_percentile(board, me.player, label)
    except SunwiError:
        return None
    if found is None or found.percentile is None:
        return None
    age = max(0, int((at - found.as_of).total_seconds()))
    return ApproximateShare(found.percentile.top, age - age % AGE_STEP)
