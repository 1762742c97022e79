"""How likes of one kind are kept and counted: the storage, and into how many rows a hot count is split."""

from enum import StrEnum


class Storage(StrEnum):
    """Who decides, and how the count comes about."""

    HYBRID = "hybrid"  # SQL decides, appends and aggregates; Redis shows
    REDIS = "redis"  # Redis decides; SQL follows within a second
    SQL = "sql"  # SQL decides, and counts in shard rows
    APPEND = "append"  # SQL decides, appends and aggregates


SHARDS = ((100, 1), (1_000, 10), (10_000, 100))
MOST_SHARDS = 1_000


def shards_for(rate: int) -> int:
    """How many rows the count of one thing is spread over where it gets ``rate`` likes a second at its hottest."""
    return next((shards for bound, shards in SHARDS if rate <= bound), MOST_SHARDS)
