"""Redis addresses: numbers, neighbours, and how Celery spells a socket."""

import pytest
from redis import ConnectionPool

from config import addresses

ADDRESSES = ["redis://127.0.0.1:6379/0", "rediss://user:secret@cache.example:6380/3", "unix:///run/redis.sock?db=5"]
BOARDS = "redis://localhost:6379/0"


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_driver_reads_the_number_that_was_written_and_nothing_else_changes(url: str) -> None:
    moved = addresses.with_database(url, 9)

    assert ConnectionPool.from_url(moved).connection_kwargs["db"] == 9
    assert addresses.database_of(moved) == 9
    assert addresses.with_database(moved, addresses.database_of(url)) == url


def test_databases_are_told_apart_by_server_and_number_and_none_is_zero() -> None:
    others = ("redis://localhost:6379/1", "redis://localhost:6380/0", "unix:///run/redis.sock?db=0")

    assert addresses.same_database("redis://localhost", BOARDS)
    assert not any(addresses.same_database(BOARDS, other) for other in others)


def test_the_neighbour_of_the_last_database_is_the_first() -> None:
    assert addresses.neighbour("redis://localhost:6379/15", 1) == BOARDS


def test_celery_gets_a_socket_in_its_own_spelling() -> None:
    assert addresses.for_broker("unix:///run/redis.sock?db=2") == "redis+socket:///run/redis.sock?virtual_host=2"
    assert addresses.for_broker("redis://localhost:6379/2") == "redis://localhost:6379/2"
