"""One player's rank alone, by two plain commands: a script would take twice as long.

The trap: two commands are not one moment. The generation is asked last. It only grows, and SQL learns it after Redis
has it: if it is the caller's by then, it was so when the rank was read. A replica answers both, for up to a second
(``foundation.redis.client``).
"""

from foundation.redis.client import RedisClient
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period


def has_plain_rank(period: Period) -> bool:
    """Whether a place is a rank, and a member is nothing but the player."""
    return period.rules.ties.by_time and not period.layout.in_member


def plain_rank(link: RedisClient, period: Period, player: str) -> int | None:
    """The rank in a period that ``has_plain_rank``; None where there is none. Raises ``StaleGeneration``, and what the
    link raises."""
    place = "ZREVRANK" if period.rules.order is Order.DESC else "ZRANK"
    index, generation = link.pipeline([(place, period.family.zset, player), ("GET", period.family.gen)])
    if generation != str(period.generation).encode():
        raise StaleGeneration("Redis does not have this period's present state.")
    return None if index is None else int(index) + 1
