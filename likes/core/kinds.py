"""The storage of a kind's likes, and the number of shards of a count."""

from enum import StrEnum


class Storage(StrEnum):
    """Which server decides about likes, and how they are counted."""

    HYBRID = "hybrid"  # SQL decides, appends changes and aggregates them; Redis serves reads
    REDIS = "redis"  # Redis decides; SQL follows within a second
    SQL = "sql"  # SQL decides, and counts in shard rows
    APPEND = "append"  # SQL decides, appends changes and aggregates them


SHARDS = ((100, 1), (1_000, 10), (10_000, 100))
MOST_SHARDS = 1_000


def shards_for(rate: int) -> int:
    """The number of shard rows of a count whose hottest thing gets ``rate`` likes a second."""
    return next((shards for bound, shards in SHARDS if rate <= bound), MOST_SHARDS)
