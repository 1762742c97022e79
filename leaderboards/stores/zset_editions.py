"""Editions in Redis: what a living period and its board are known by to those who read it without asking SQL."""

import secrets
from collections.abc import Collection

from foundation.redis import Link
from leaderboards.core.keys import Family
from leaderboards.models import Period
from leaderboards.stores.zset import run

LASTS_SECONDS = 86_400  # then another is drawn: nobody has to clear away what is drawn of a period that was closed
SHUT_SECONDS = 5  # about as long as a commit may take


def edition(link: Link, period: Period) -> str:
    """The present one, drawn here where there is none. Raises what the link raises, as all here do.

    It is asked for first: a Redis that is full takes no new one, and still tells.
    """
    key = period.family.edition
    present = link.call("GET", key)
    if present is None:
        drawn = ("SET", key, secrets.token_hex(8), "EX", LASTS_SECONDS, "NX")
        _, present = link.pipeline([drawn, ("GET", key)])
    return "" if present is None else present.decode()  # somebody may have dropped it in between


def shut_edition(link: Link, period: Period) -> None:
    """Nobody draws one for a while, nor has one: dropping leaves it shut, since others drop it too."""
    link.call("SET", period.family.edition, "", "EX", SHUT_SECONDS)


def drop_editions(link: Link, periods: Collection[Family]) -> None:
    """Nobody reads these by what they knew before: each asks SQL first."""
    if periods:
        run(link, "drop_editions", [period.edition for period in periods], [])
