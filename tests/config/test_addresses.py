"""Redis addresses: numbers, neighbours, and how Celery spells a socket."""

import pytest
from redis import ConnectionPool

from config import addresses

ADDRESSES = ["redis://127.0.0.1:6379/0", "rediss://user:secret@cache.example:6380/3", "unix:///run/redis.sock?db=5"]


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_driver_reads_the_number_that_was_written(url: str) -> None:
    moved = addresses.with_database(url, 9)

    pool = ConnectionPool.from_url(moved)

    assert pool.connection_kwargs["db"] == 9
    assert addresses.database_of(moved) == 9


@pytest.mark.parametrize("url", ADDRESSES)
def test_only_the_number_changes(url: str) -> None:
    there_and_back = addresses.with_database(addresses.with_database(url, 9), addresses.database_of(url))

    assert there_and_back == url


def test_an_address_without_a_number_names_database_zero() -> None:
    assert addresses.database_of("redis://localhost") == 0
    assert addresses.same_database("redis://localhost", "redis://localhost:6379/0")


def test_the_neighbour_of_the_last_database_is_the_first() -> None:
    assert addresses.neighbour("redis://localhost:6379/15", 1) == "redis://localhost:6379/0"


def test_other_servers_and_other_numbers_are_other_databases() -> None:
    boards = "redis://localhost:6379/0"

    assert not addresses.same_database(boards, "redis://localhost:6379/1")
    assert not addresses.same_database(boards, "redis://localhost:6380/0")
    assert not addresses.same_database(boards, "unix:///run/redis.sock?db=0")


def test_celery_gets_a_socket_in_its_own_spelling() -> None:
    assert addresses.for_broker("unix:///run/redis.sock?db=2") == "redis+socket:///run/redis.sock?virtual_host=2"
    assert addresses.for_broker("redis://localhost:6379/2") == "redis://localhost:6379/2"
