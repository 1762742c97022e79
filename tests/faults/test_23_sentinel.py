"""The primary behind sentinels is killed, frozen or told to step back in mid-load: the promoted one is healed.

What the replica had not heard is lost to a redis board, whose ids go with it; hybrid boards lose nothing.
"""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.faults.check import check, check_reads, tell_writes_again
from tests.faults.history import Fate
from tests.faults.sentinels import DOWN_AFTER_MS, Watched
from tests.faults.servers import RedisServer
from tests.faults.world import ALWAYS_EXACT, World


@pytest.fixture(scope="module")
def watched(shared_world: World) -> Iterator[Watched]:
    made = Watched(shared_world.folder, shared_world.redis)
    try:
        made.start()
        shared_world.address = made.url
        yield made
    finally:
        shared_world.address, shared_world.redis = "", made.servers[0]
        made.end()


def killed(watched: Watched, primary: RedisServer) -> None:
    primary.kill()


def frozen(watched: Watched, primary: RedisServer) -> None:
    primary.freeze()


def told_to_step_back(watched: Watched, primary: RedisServer) -> None:
    watched.fail_over()


@pytest.mark.parametrize("fault", [killed, frozen, told_to_step_back], ids=lambda fault: fault.__name__)
def test_another_is_promoted_in_mid_load_and_nothing_is_shown_twice_or_made_up(
    watched: Watched, world: World, seed: int, fault: Callable[[Watched, RedisServer], None]
) -> None:
    numbers, before = world.make_boards(), watched.primary()
    exact, by_redis = [numbers[name] for name in ALWAYS_EXACT], numbers["redis"]
    world.lossy.add(by_redis)
    with world.under_load(exact, by_redis, seed, looks=1.0):
        world.wait_until_taken(*numbers.values())
        began = time.monotonic()
        fault(watched, before)
        world.redis = watched.wait_for_another(before)
        promoted_at = time.monotonic()
        world.wait_until_live()
        world.wait_until_taken(*numbers.values())
        if fault is not told_to_step_back:
            tell_writes_again(world, by_redis, began, promoted_at, DOWN_AFTER_MS)
        if fault is killed:
            before.start()
        elif fault is frozen:
            before.thaw()
        watched.wait_until_watched()
        world.wait_until_taken(*numbers.values())

    history = check(world)
    assert history.fates(*exact) == {Fate.OK}
    assert check_reads(history, exact) > len(exact)
