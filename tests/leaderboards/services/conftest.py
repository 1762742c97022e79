"""The links as a fresh process has them, and competitions that a test declares."""

from collections.abc import Iterator

import pytest

from tests.leaderboards.services.contest import KnownEvents, known_events
from tests.links import links

__all__ = ["links"]


@pytest.fixture
def declared(links: None) -> Iterator[KnownEvents]:
    """Somebody declares events, in which the players a, b, c and d take part."""
    with known_events() as declared:
        yield declared
