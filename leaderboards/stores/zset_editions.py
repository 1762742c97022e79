"""Editions in Redis: what a living period and its board are known by to those who read it without asking SQL."""

import secrets
from collections.abc import Collection

from foundation.redis import Link
from leaderboards.models import Period


def edition(link: Link, period: Period) -> str:
    """The present one, drawn here where there is none. Raises what the link raises, as all here do."""
    key = period.family.edition
    _, present = link.pipeline([("SET", key, secrets.token_hex(8), "NX"), ("GET", key)])
    return "" if present is None else present.decode()  # somebody may have dropped it in between


def drop_editions(link: Link, periods: Collection[Period]) -> None:
    """Nobody reads these by what they knew before: each asks SQL first."""
    if periods:
        link.call("DEL", *(period.family.edition for period in periods))
