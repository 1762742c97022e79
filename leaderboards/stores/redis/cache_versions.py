"""Cache versions: a random text in Redis per live period, under which readers cache the period and its board.

While it is unchanged, readers need not ask SQL (decision 0061). All functions raise what the client raises.
"""

import secrets
from collections.abc import Collection

from foundation.redis.client import RedisClient, ScriptCall
from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.models import Period
from leaderboards.stores.redis.reads import script

TTL_SECONDS = 86_400  # so that versions of closed periods go by themselves
BLOCK_SECONDS = 5  # about as long as a commit may take


def fetch_cache_version(link: RedisClient, period: Period) -> str:
    """Return the period's cache version; set a new one if there is none. "" means that nothing may be cached.

    It reads before it writes, because a full Redis still answers reads.
    """
    key = period.family.cache_version
    current = link.call("GET", key)
    if current is None:
        set_new = ("SET", key, secrets.token_hex(8), "EX", TTL_SECONDS, "NX")
        _, current = link.pipeline([set_new, ("GET", key)])
    return "" if current is None else current.decode()  # None if it was dropped in between


def block_cache_version(link: RedisClient, period: Period) -> None:
    """Keep readers from caching the period for ``BLOCK_SECONDS``. ``drop_cache_versions`` does not end this."""
    link.call("SET", period.family.cache_version, "", "EX", BLOCK_SECONDS)


def drop_cache_versions(link: RedisClient, periods: Collection[PeriodKeyFamily]) -> None:
    """Drop the cache versions of these periods, so that every reader asks SQL first."""
    if periods:
        drop = script("drop_cache_versions")
        groups = link.groups([period.cache_version for period in periods])
        link.run_many([ScriptCall(drop, group) for group in groups])
