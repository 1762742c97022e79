"""`kill -9` of whoever takes snapshots: each is whole or not there, and there once, whoever takes it at last."""

import random
import time

import pytest

from tests.faults import competitions
from tests.faults.conftest import steps
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World

STEPS = steps("competitions/services/snapshot.py")
ALL = len(competitions.SCORES)


def test_there_are_steps_to_die_at() -> None:
    assert len(STEPS) >= 2


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("step", STEPS)
def test_who_takes_snapshots_may_die_at_any_step(shared_world: World, step: str, nth: int) -> None:
    world = shared_world
    numbers = world.call(competitions.begin_with_scores)

    assert world.spawn(competitions.take_snapshots, fail_at=f"{step}:{nth}", minutes=30).wait() == KILLED_HERE
    before = world.call(competitions.snapshots, competitions=numbers)
    taken = world.call(competitions.take_snapshots, minutes=30)

    whole = [[30, number, ALL, ALL] for number in numbers]
    assert len(before) == nth - 1
    assert all(each in whole for each in before)
    assert taken == len(numbers) - len(before)
    assert world.call(competitions.snapshots, competitions=numbers) == whole


def test_who_takes_snapshots_may_die_at_any_moment_beside_others(shared_world: World, dice: random.Random) -> None:
    world = shared_world
    numbers = world.call(competitions.begin_with_scores)
    for minutes in (30, 60):
        for _ in range(6):
            takers = [world.spawn(competitions.take_snapshots, minutes=minutes) for _ in range(2)]
            time.sleep(dice.uniform(0.0, 0.1))
            for taker in takers:
                taker.kill()
        world.call(competitions.take_snapshots, minutes=minutes)

    whole = [[minutes, number, ALL, ALL] for minutes in (30, 60) for number in numbers]
    assert world.call(competitions.snapshots, competitions=numbers) == whole
