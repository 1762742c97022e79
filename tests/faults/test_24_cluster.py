"""A primary of a cluster is killed or frozen in mid-load: its boards are healed on the replica, others go on.

What the replica had not heard is lost to a redis board, whose ids go with it; hybrid boards lose nothing.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from config.local.valkey import NODE_TIMEOUT_MS
from foundation.redis.info import identity_of
from tests.faults import ranges
from tests.faults.check import check, check_reads, tell_writes_again
from tests.faults.history import Fate
from tests.faults.nodes import Nodes
from tests.faults.servers import RedisServer
from tests.faults.world import ALWAYS_EXACT, World, wait_until


@pytest.fixture(scope="module")
def nodes(shared_world: World) -> Iterator[Nodes]:
    made = Nodes(shared_world.folder, replicas=True, fsync="always")
    try:
        made.start()
        shared_world.address = made.url
        yield made
    finally:
        shared_world.address = ""
        made.end()


def killed(primary: RedisServer) -> None:
    primary.kill()


def frozen(primary: RedisServer) -> None:
    primary.freeze()


def bring_back(nodes: Nodes, primary: RedisServer, fault: Callable[[RedisServer], None]) -> None:
    if fault is killed:
        primary.start()
    else:
        primary.thaw()
    nodes.wait_until_whole()


def has_another(nodes: Nodes, key: str, gone: RedisServer) -> bool:
    return nodes.primary_of(key, but=gone) is not gone


def is_healed(world: World, nodes: Nodes) -> bool:
    """Whether SQL knows every primary, and nothing is stale."""
    for server in nodes.servers:
        with server.client() as client:
            identity = identity_of({name: str(value) for name, value in client.info().items()})
        if identity and not world.knows(identity):
            return False
    return not world.is_stale()


def test_a_primary_with_some_score_ranges_goes_and_they_have_what_their_homes_have(
    nodes: Nodes, world: World, seed: int
) -> None:
    number = world.make_boards("hybrid", partitions=16, score_ranges=True)["hybrid"]
    worker = world.spawn(ranges.work_and_cut)
    with world.writers([number], seed), world.reader([number]):
        world.wait_until_taken(number)
        primary = nodes.primary_of(f"{{LeaderBoard_{number}}}")
        for fault in (frozen, killed):
            fault(primary)
            time.sleep(1.0)
            world.wait_until_taken(number)
            bring_back(nodes, primary, fault)
            wait_until(lambda: is_healed(world, nodes), "every board is healed")
    worker.stop()

    history = check(world)
    _, *differences = world.call(ranges.differences, boards=[number])
    assert not differences
    history.reads[:] = [
        read for read in history.reads if read.live
    ]  # others lack the rows of who is silent, and say so
    assert check_reads(history, [number]) > 0


@pytest.mark.parametrize("fault", [killed, frozen], ids=lambda fault: fault.__name__)
def test_a_primary_goes_in_mid_load_and_nothing_is_lost_that_sql_knew_or_shown_twice(
    nodes: Nodes, world: World, seed: int, fault: Callable[[RedisServer], None]
) -> None:
    numbers = world.make_boards()
    exact, by_redis = [numbers[name] for name in ALWAYS_EXACT], numbers["redis"]
    world.lossy.add(by_redis)
    with world.under_load(exact, by_redis, seed, looks=1.0):
        world.wait_until_taken(*numbers.values())
        for name in ("redis", "hybrid"):
            number = numbers[name]
            key = f"{{LeaderBoard_{number}}}"
            primary = nodes.primary_of(key)
            began = time.monotonic()
            print(f"\nthe primary of the {name} board: {fault.__name__}")
            fault(primary)
            wait_until(partial(has_another, nodes, key, primary), "a promotion")
            promoted_at = time.monotonic()
            world.wait_until_taken(*numbers.values())
            tell_writes_again(world, number, began, promoted_at, NODE_TIMEOUT_MS)
            bring_back(nodes, primary, fault)
        wait_until(lambda: is_healed(world, nodes), "every board is healed")
        world.wait_until_taken(*numbers.values())

    history = check(world)
    assert history.fates(*exact) == {Fate.OK}
    assert check_reads(history, exact) > len(exact)
