"""A process that has just started, a Redis that it knows, and a table in DynamoDB."""

from typing import Any

import pytest

from tests.dynamodb import dynamodb, moto_address
from tests.links import links, redis_known

__all__ = ["dynamodb", "links", "moto_address", "redis_known"]


@pytest.fixture(autouse=True)
def _table(dynamodb: Any) -> None:
    """Examples that Hypothesis draws have no fixtures of their own."""
