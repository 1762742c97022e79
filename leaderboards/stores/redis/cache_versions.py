"""Editions in Redis: what a living period and its board are known by to those who read it without asking SQL."""

import secrets
from collections.abc import Collection

from foundation.redis.client import RedisClient
from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.models import Period
from leaderboards.stores.redis.reads import run

TTL_SECONDS = 86_400  # then another is drawn: nobody has to clear away what is drawn of a period that was closed
BLOCK_SECONDS = 5  # about as long as a commit may take


def fetch_cache_version(link: RedisClient, period: Period) -> str:
    """The present one, drawn here where there is none. Raises what the link raises, as all here do.

    It is asked for first: a Redis that is full takes no new one, and still tells.
    """
    key = period.family.cache_version
    present = link.call("GET", key)
    if present is None:
        drawn = ("SET", key, secrets.token_hex(8), "EX", TTL_SECONDS, "NX")
        _, present = link.pipeline([drawn, ("GET", key)])
    return "" if present is None else present.decode()  # somebody may have dropped it in between


def block_cache_version(link: RedisClient, period: Period) -> None:
    """Nobody draws one for a while, nor has one: dropping leaves it shut, since others drop it too."""
    link.call("SET", period.family.cache_version, "", "EX", BLOCK_SECONDS)


def drop_cache_versions(link: RedisClient, periods: Collection[PeriodKeyFamily]) -> None:
    """Nobody reads these by what they knew before: each asks SQL first."""
    if periods:
        run(link, "drop_cache_versions", [period.cache_version for period in periods], [])
