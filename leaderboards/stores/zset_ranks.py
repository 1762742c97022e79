"""One player's rank alone, by two plain commands: a script would take twice as long.

The trap: two commands are not one moment. The generation is asked last. It only grows, and SQL learns it after Redis
has it: if it is the caller's by then, it was so when the rank was read. A replica answers both, for up to a second
(``foundation.redis``).
"""

from foundation.redis import Link
from foundation.sync.memory import Stale
from leaderboards.core.rules import Order
from leaderboards.models import Period


def is_plain(period: Period) -> bool:
    """Whether a place is a rank, and a member is nothing but the player."""
    return period.rules.ties.by_time and not period.layout.in_member


def plain_rank(link: Link, period: Period, player: str) -> int | None:
    """The rank in a period that ``is_plain``; None where there is none. Raises ``Stale``, and what the link raises."""
    place = "ZREVRANK" if period.rules.order is Order.DESC else "ZRANK"
    index, generation = link.pipeline([(place, period.family.zset, player), ("GET", period.family.gen)])
    if generation != str(period.generation).encode():
        raise Stale("Redis does not have this period's present state.")
    return None if index is None else int(index) + 1
