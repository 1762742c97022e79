"""What commands begin with that change what Redis and SQL have."""

from datetime import datetime

import pytest

from foundation import clock
from tests.links import links

__all__ = ["links"]


@pytest.fixture
def now(transactional_db: None, links: None) -> datetime:
    """The present, in a process that has just started."""
    return clock.now()
