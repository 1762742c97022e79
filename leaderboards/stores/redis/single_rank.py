"""Read one player's rank with two plain commands, in half the time of a script; of a compact period by a short one.

The trap: the two commands are not atomic. The generation is read last. It only grows, and a period is read from Redis
only after Redis got its generation: if it is the caller's now, it was so when the rank was read. For up to a second a
replica may answer both (``foundation.redis.client``).
"""

from foundation.redis.client import Argument, RedisClient
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period
from leaderboards.stores.redis.player_cells import cells_of
from leaderboards.stores.redis.reads import descending_flag, ranked_keys, run_of


def has_plain_rank(period: Period) -> bool:
    """Whether a rank is the position in the family, and what Redis has is the player alone."""
    return period.rules.ties.by_time and not period.layout.in_member


def plain_rank(link: RedisClient, period: Period, player: str) -> int | None:
    """Return the rank in a period that ``has_plain_rank``; None if the player is not ranked.

    Raises ``StaleGeneration``, what the client raises, and of a compact period ``SqlAway``.
    """
    if period.is_compact:
        cells = cells_of(period)
        cells.look_up([player])
        return compact_rank(link, period, cells.cell(player))
    command = "ZREVRANK" if period.rules.order is Order.DESC else "ZRANK"
    index, generation = link.pipeline([(command, period.family.zset, player), ("GET", period.family.gen)])
    if generation != str(period.generation).encode():
        raise StaleGeneration("Redis does not have this period's present state.")
    return None if index is None else int(index) + 1


def compact_rank(link: RedisClient, period: Period, cell: str) -> int | None:
    """Return the rank of a player by their number (``player_cells.py``); None if they are not ranked."""
    args: list[Argument] = [period.generation, descending_flag(period), cell]
    before = int(run_of(period, link, "rank", ranked_keys(period)[:3], args))
    return None if before < 0 else before + 1
