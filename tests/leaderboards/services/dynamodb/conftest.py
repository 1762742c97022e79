"""A table for each test, and DynamoDB that goes away."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from leaderboards.errors import OutcomeUnknown, StorageUnavailable
from leaderboards.stores.dynamodb.client import DynamoClient
from tests.dynamodb import dynamodb, moto_address

__all__ = ["dynamodb", "moto_address"]

Away = Callable[[], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def _there(dynamodb: Any) -> None:
    pass


@contextmanager
def away() -> Iterator[None]:
    """Nobody reaches DynamoDB for as long as the block lasts."""
    with patch.object(DynamoClient, "call", side_effect=StorageUnavailable("DynamoDB is away.")):
        yield


@contextmanager
def silent_after_writes() -> Iterator[None]:
    """DynamoDB does what it is told, and its answers to writes are lost."""
    call = DynamoClient.call

    def lose(self: DynamoClient, operation: str, deadline: float, *, is_write: bool = False, **asked: Any) -> Any:
        answer = call(self, operation, deadline, is_write=is_write, **asked)
        if is_write:
            raise OutcomeUnknown("It did not answer.")
        return answer

    with patch.object(DynamoClient, "call", lose):
        yield
