"""Two beats, every task delivered twice and at once, and some lost: nothing is counted or closed twice."""

import random
import time

from tests.faults import chores, deeds
from tests.faults.conftest import LONG
from tests.faults.loads import load, make_boards
from tests.faults.verdict import check
from tests.faults.world import World

SECONDS = 20.0 if LONG else 4.0
DAY = 86_400.0


def test_two_beats_that_send_every_task_twice_and_lose_some_do_no_harm(
    world: World, seed: int, dice: random.Random
) -> None:
    boards = make_boards(world)
    beats = [world.spawn(deeds.beat, seed=seed + number, lose=0.3) for number in range(2)]
    with load(world, [*boards.values()], seed):
        time.sleep(SECONDS)
        world.redis.kill()
        time.sleep(0.5)
        world.redis.start()
        time.sleep(SECONDS)
    errors = [error for each in beats for error in each.stop()]

    assert errors == []
    check(world)


def test_two_beats_close_each_period_once_while_its_last_writers_are_at_it(world: World, seed: int) -> None:
    boards = make_boards(world)
    with load(world, [*boards.values()], seed, calls=60):
        beats = [world.spawn(deeds.beat, seed=seed + number, lose=0.3, shift=DAY) for number in range(2)]
        time.sleep(SECONDS)
        errors = [error for each in beats for error in each.stop()]
    first = world.call(chores.close_until_final, shift=DAY)

    assert errors == []
    assert len(first) == len(boards)
    assert world.call(deeds.close_again, shift=DAY) == first
    check(world, shift=DAY)
    for shown in world.call(chores.show):
        if shown["state"] == "final":
            assert sorted(player for _, player, _ in shown["final"]) == sorted(shown["points"])
