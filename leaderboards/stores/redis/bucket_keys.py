"""The keys of the buckets in which a redis board stores the ids of its entries: two days of each bucket."""

from datetime import UTC, datetime, timedelta

from leaderboards.core import keys as named
from leaderboards.core.id_buckets import BucketedId


def days_of(at_ms: int) -> tuple[str, str]:
    """Return the day of a moment and the day before, as the id buckets name them."""
    day = datetime.fromtimestamp(at_ms / 1000, UTC).date()
    return day.isoformat(), (day - timedelta(days=1)).isoformat()


class BucketKeys:
    """Adds the id buckets to a script's ``keys``, in pairs: today's and yesterday's."""

    def __init__(self, owner: str, keys: list[str], days: tuple[str, str]) -> None:
        self._owner, self._keys, self._days = owner, keys, days
        self._indexes: dict[int, int] = {}

    def key_index(self, bucketed: BucketedId | None) -> int:
        """Return the index in KEYS of the id's bucket of today, adding the pair if necessary; 0 without an id."""
        if bucketed is None:
            return 0
        if bucketed.bucket not in self._indexes:
            self._indexes[bucketed.bucket] = len(self._keys) + 1
            self._keys += [named.ids(self._owner, day, bucketed.bucket) for day in self._days]
        return self._indexes[bucketed.bucket]
