"""A table for each test of this store, and a period that is spread over four shards of it."""

from typing import Any

import pytest

from leaderboards.models import Period
from tests.dynamodb import dynamodb, moto_address
from tests.leaderboards.factories import BoardFactory, PeriodFactory
from tests.links import links

__all__ = ["dynamodb", "links", "moto_address"]


@pytest.fixture
def period(db: None, links: None, dynamodb: Any) -> Period:
    """The running period of a board of the default rules."""
    return PeriodFactory.create(board=BoardFactory.create(storage="dynamodb", name="There"))
