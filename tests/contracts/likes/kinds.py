"""The kinds that the contract is tried on: each storage, once as a like and once as applause."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from likes import registry
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.services.count import count
from likes.services.mirror import mirror
from likes.services.settle import settle_due

NOW = datetime(2026, 3, 4, 12, 0, 0, 500_000, tzinfo=UTC)

# (storage, likes a second): the rate decides how many shards there are.
STORAGES = [
    *((Storage.SQL, 10), (Storage.SQL, 900), (Storage.SQL, 9_000)),
    *((Storage.APPEND, 10), (Storage.HYBRID, 10), (Storage.REDIS, 10)),
]


def name_of(form: tuple[Storage, int]) -> str:
    """For the tests' names."""
    return f"{form[0]}-{form[1]}"


@contextmanager
def registered(form: tuple[Storage, int], repeatable: bool = False, kind: str = "note") -> Iterator[Likeable]:
    """A kind of which everything exists."""
    made = Likeable(kind, dict.fromkeys, form[0], form[1], repeatable)
    registry.provide(made)
    settle_due(NOW)
    try:
        yield made
    finally:
        registry.withdraw(kind)


def settled(likeable: Likeable) -> None:
    """Let whoever follows have followed."""
    if likeable.storage == Storage.REDIS:
        mirror(likeable)
    count(likeable, NOW)
