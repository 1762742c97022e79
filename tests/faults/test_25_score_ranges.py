"""Score ranges while whoever follows is killed at every step, or Redis is: nobody is lost, and nobody there twice."""

import random
import time

import pytest

from tests.faults import boards, ranges
from tests.faults.check import check, check_reads
from tests.faults.conftest import LONG, steps
from tests.faults.history import Fate
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World

FOLLOWING = steps("leaderboards/services", "ranges")
MOMENTS = 40 if LONG else 8


@pytest.fixture
def numbers(world: World) -> dict[str, int]:
    return world.make_boards("hybrid", "redis", partitions=4, score_ranges=True)


def held(world: World, numbers: dict[str, int]) -> None:
    """Everything that was acknowledged counts once, and ranges have exactly what partitions have."""
    check(world)
    players, *differences = world.call(ranges.differences, boards=[*numbers.values()])
    assert int(players.split()[0]) > 0
    assert not differences


@pytest.mark.parametrize("step", FOLLOWING)
def test_who_follows_may_die_at_any_step(
    world: World, numbers: dict[str, int], seed: int, dice: random.Random, step: str
) -> None:
    with world.writers(numbers.values(), seed, many=1), world.worker(only=["mirror", "settle"]):
        for _ in range(3):
            if step == "ranges.after_dropped":  # there is something to drop where a generation is another
                world.redis.restart()
                world.wait_until_live()
            child = world.spawn(ranges.work_and_cut, fail_at=f"{step}:{dice.randint(1, 4)}", only=["ranges"])
            assert child.wait() == KILLED_HERE

    held(world, numbers)


def test_who_follows_may_die_at_any_moment(
    world: World, numbers: dict[str, int], seed: int, dice: random.Random
) -> None:
    with world.writers(numbers.values(), seed), world.worker(only=["mirror", "settle"]):
        for _ in range(MOMENTS):
            workers = [world.spawn(ranges.work_and_cut, only=["ranges"]) for _ in range(2)]
            time.sleep(dice.uniform(0.1, 0.8))
            for worker in workers:
                worker.kill()

    held(world, numbers)


def test_redis_may_be_killed_again_and_again_while_ranges_follow_and_are_cut(
    world: World, numbers: dict[str, int], seed: int, dice: random.Random
) -> None:
    exact = [numbers["hybrid"]]
    worker = world.spawn(ranges.work_and_cut)
    with world.writers(numbers.values(), seed), world.reader(exact):
        for _ in range(MOMENTS // 2):
            time.sleep(dice.uniform(0.2, 1.0))
            world.redis.restart(pause=dice.uniform(0.0, 0.2))
            world.wait_until_live()
        world.wait_until_taken(*numbers.values())
    worker.stop()

    held(world, numbers)
    history = world.history()
    assert history.fates(*exact) == {Fate.OK}
    assert check_reads(history, exact) > 0


def test_a_redis_that_lost_its_memory_has_its_ranges_made_anew(world: World, seed: int) -> None:
    numbers = world.make_boards("hybrid", partitions=4, score_ranges=True)
    world.write(numbers.values(), seed, calls=30, players=300).result()
    before, *_ = world.call(ranges.differences, boards=[*numbers.values()])
    world.redis.lose_memory()
    world.call(boards.bring_to_rest)

    assert world.call(ranges.differences, boards=[*numbers.values()]) == [before]
