"""A server that was primary, then a replica that heard nothing for a while, is primary again: it is a stranger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import boards
from tests.faults.servers import RedisServer, new_redis
from tests.faults.world import World


@pytest.fixture
def other(world: World) -> Iterator[RedisServer]:
    server = new_redis(world.folder, "always", "other")
    server.start()
    yield server
    server.end()


def lead_to(address: Path, server: RedisServer) -> None:
    address.unlink(missing_ok=True)
    address.symlink_to(server.made.socket)


def test_nobody_is_shown_what_it_remembers_and_what_sql_has_comes_back(
    world: World, other: RedisServer, seed: int
) -> None:
    address = world.folder / "address.sock"
    url = f"unix://{address}?db=0"

    def write(seed: int) -> None:
        world.write(numbers.values(), seed, calls=20, size=20, again=0.0, redis_url=url).result()
        world.call(boards.bring_to_rest, redis_url=url)

    lead_to(address, world.redis)
    numbers = world.make_boards("hybrid", "shared", "redis")
    other.follow(world.redis.listen())
    write(seed)
    other.promote()
    lead_to(address, other)
    write(seed + 1)
    world.redis.follow(other.listen())
    other.cut_off()
    write(seed + 2)
    known = {name: world.mirrored(number) for name, number in numbers.items()}
    before = world.call(boards.seen, redis_url=url)

    other.kill()
    world.redis.promote()
    lead_to(address, world.redis)

    at_first = world.call(boards.seen, redis_url=url)
    world.call(boards.bring_to_rest, redis_url=url)
    assert all(each["rows"] and each["live"] for each in before.values())
    assert not any(each["live"] for each in at_first.values())
    assert {name: each["rows"] for name, each in at_first.items()} == {
        name: each["rows"] for name, each in before.items()
    }
    assert world.call(boards.seen, redis_url=url) == before
    assert {name: world.mirrored(number) for name, number in numbers.items()} == known
    assert world.call(boards.differences, redis_url=url) == 0
