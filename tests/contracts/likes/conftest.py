"""A process that has just started, and a Redis that it knows."""

import pytest

from leaderboards.services.settle import greet
from tests.links import links

__all__ = ["links"]


@pytest.fixture
def redis_known(transactional_db: None, links: None) -> None:
    """As after the worker's first second."""
    greet()
