"""Each test here commits, and begins with links as a fresh process has them. Competitions are what it declares."""

from collections.abc import Iterator

import pytest

from tests.leaderboards.services.contest import KnownEvents, known_events
from tests.links import links

__all__ = ["links"]


@pytest.fixture(autouse=True)
def _as_a_process_begins(transactional_db: None, links: None) -> None:
    pass


@pytest.fixture
def declared() -> Iterator[KnownEvents]:
    """Somebody declares events, in which the players a, b, c and d take part."""
    with known_events() as declared:
        yield declared
