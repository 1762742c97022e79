"""`kill -9` of whoever tells players and rewards them, or takes snapshots: each thing is whole, and there once."""

import random
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.faults import competitions
from tests.faults.conftest import steps
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World

LEASE_MINUTES = 3
TELLING = steps("competitions/services", "compare", "release", "mail", "reward")
SNAPSHOTS = steps("competitions/services", "snapshot")
ALL = len(competitions.SCORES)
numbers = count()


def prepared(world: World) -> int:
    """Something to tell that no other test of this module has."""
    number = next(numbers)
    world.call(competitions.prepare_to_tell, number=number)
    return number


def told_at_last(world: World) -> None:
    """Somebody tells again, after the time that a mail is claimed for, until nothing is left."""
    left = (world.call(competitions.tell, minutes=nth * LEASE_MINUTES) for nth in range(1, 20))
    assert 0 in left, "there is always something left to tell"


def killed_beside_others(world: World, dice: random.Random, target: Callable[..., Any], **how: Any) -> None:
    for _ in range(6):
        children = [world.spawn(target, **how) for _ in range(2)]
        time.sleep(dice.uniform(0.0, 0.1))
        for child in children:
            child.kill()


@pytest.mark.parametrize("step", TELLING)
def test_who_tells_may_die_at_any_step(shared_world: World, step: str) -> None:
    number = prepared(shared_world)

    assert shared_world.spawn(competitions.tell, fail_at=step).wait() == KILLED_HERE
    told_at_last(shared_world)

    assert shared_world.call(competitions.told, number=number) == competitions.TOLD


def test_who_tells_may_die_at_any_moment_beside_others(shared_world: World, dice: random.Random) -> None:
    every = [prepared(shared_world) for _ in range(4)]

    killed_beside_others(shared_world, dice, competitions.tell)
    told_at_last(shared_world)

    for number in every:
        assert shared_world.call(competitions.told, number=number) == competitions.TOLD


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("step", SNAPSHOTS)
def test_who_takes_snapshots_may_die_at_any_step(shared_world: World, step: str, nth: int) -> None:
    cups = shared_world.call(competitions.begin_with_scores)

    status = shared_world.spawn(competitions.take_snapshots, fail_at=f"{step}:{nth}", minutes=30).wait()
    before = shared_world.call(competitions.snapshots, competitions=cups)
    taken = shared_world.call(competitions.take_snapshots, minutes=30)

    whole = [[30, cup, ALL, ALL] for cup in cups]
    assert status == KILLED_HERE
    assert len(before) == nth - 1
    assert all(each in whole for each in before)
    assert taken == len(cups) - len(before)
    assert shared_world.call(competitions.snapshots, competitions=cups) == whole


def test_who_takes_snapshots_may_die_at_any_moment_beside_others(shared_world: World, dice: random.Random) -> None:
    cups = shared_world.call(competitions.begin_with_scores)
    for minutes in (30, 60):
        killed_beside_others(shared_world, dice, competitions.take_snapshots, minutes=minutes)
        shared_world.call(competitions.take_snapshots, minutes=minutes)

    whole = [[minutes, cup, ALL, ALL] for minutes in (30, 60) for cup in cups]
    assert shared_world.call(competitions.snapshots, competitions=cups) == whole
