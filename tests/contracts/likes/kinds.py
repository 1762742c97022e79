"""The kinds that the contract is tried on: each storage, as a like and as applause."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from leaderboards.stores.sql.writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.services.count import count
from likes.services.mirror import mirror
from likes.services.resync import resync_due
from tests.likes.factories import LikeableFactory

NOW = datetime(2026, 3, 4, 12, 0, 0, 500_000, tzinfo=UTC)
LATER = NOW + timedelta(milliseconds=1)
PLAYERS = ("ann", "bob", "cy", "가")

# (storage, likes a second): the rate decides how many shards there are.
STORAGES = [
    *((Storage.SQL, 10), (Storage.SQL, 900), (Storage.SQL, 9_000)),
    *((Storage.APPEND, 10), (Storage.HYBRID, 10), (Storage.REDIS, 10)),
]


def name_of(form: tuple[Storage, int]) -> str:
    return f"{form[0]}-{form[1]}"


@contextmanager
def registered(storage: Storage, rate: int = 10, **more: Any) -> Iterator[Likeable]:
    """A kind of which everything exists, as the worker has settled it, and players who may like it."""
    ensure_players(PLAYERS, NOW)
    made = LikeableFactory.create(storage=storage, rate=rate, **more)
    resync_due(NOW)
    try:
        yield made
    finally:
        registry.unregister_kind(made.kind)


def settled(likeable: Likeable) -> None:
    """Let whoever follows have followed."""
    if likeable.storage == Storage.REDIS:
        mirror(likeable)
    count(likeable, NOW)
