"""Each connection to a Redis is verified before it is used, whatever the verification before it ended with."""

from collections.abc import Callable, Iterator

import pytest
from redis import ConnectionPool

from foundation.conf import redis_address
from foundation.redis.sentinel import pool_of
from foundation.redis.server import Server

PING = [("PING",)]


@pytest.fixture
def pool() -> Iterator[ConnectionPool]:
    """Of one connection: one that is lost to the pool would be missed."""
    made = pool_of(redis_address("boards"), max_connections=1)
    yield made
    made.disconnect()


def answers_in_turn(*answers: bool | BaseException) -> tuple[Callable[[str], bool], list[str]]:
    """``is_known`` that answers or raises these, and the identities that it was asked for."""
    left, asked = list(answers), list[str]()

    def is_known(identity: str) -> bool:
        asked.append(identity)
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return is_known, asked


@pytest.mark.parametrize("error", [RuntimeError("once"), KeyboardInterrupt()], ids=["an error", "an interrupt"])
def test_a_connection_whose_verification_was_interrupted_is_verified_anew(
    pool: ConnectionPool, error: BaseException
) -> None:
    is_known, asked = answers_in_turn(error, True)
    server = Server(pool, is_known)

    with pytest.raises(type(error)):
        server.exchange(PING)

    assert server.exchange(PING) == [b"PONG"]
    assert len(asked) == 2


def test_what_was_known_of_a_connection_does_not_outlive_it(pool: ConnectionPool) -> None:
    is_known, asked = answers_in_turn(True, RuntimeError("once"), True)
    server = Server(pool, is_known)
    server.exchange(PING)
    server.drop_connections()

    with pytest.raises(RuntimeError):
        server.exchange(PING)

    assert server.exchange(PING) == [b"PONG"]
    assert len(asked) == 3


def test_a_connection_that_was_opened_and_never_verified_is_verified(pool: ConnectionPool) -> None:
    pool.release(pool.get_connection())
    is_known, asked = answers_in_turn(True)

    assert Server(pool, is_known).exchange(PING) == [b"PONG"]
    assert len(asked) == 1
