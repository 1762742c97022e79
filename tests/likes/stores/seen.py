"""What a view of likes shows, and a Redis that is away."""

from collections.abc import Sequence
from typing import Any

from foundation.redis import Link, RedisAway
from likes.stores.views import Views


def shown(views: Views, thing: str = "7", player: str | None = None) -> tuple[int, int] | None:
    """Count and own as the view has them; None without a view."""
    [found] = views.read([thing], player)
    return None if found is None else (found.count, found.own)


def refuse(_link: Link, _commands: Sequence[Sequence[Any]]) -> list[Any]:
    """What is sent to Redis does not get there."""
    raise RedisAway("Redis is away.")
