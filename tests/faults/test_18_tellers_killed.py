"""`kill -9` of whoever tells players and rewards them: each notice, mail, webhook and reward is there, once."""

import random
import time
from collections.abc import Iterator

import pytest

from tests.faults import competitions
from tests.faults.conftest import steps
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World

LEASE_MINUTES = 3
PATHS = {"compare", "release", "mail", "reward"}
STEPS = [step for step in steps("competitions/services") if step.partition(".")[0] in PATHS]


def told_at_last(world: World) -> None:
    """Somebody tells again, after the time that a mail is claimed for, until nothing is left."""
    for nth in range(1, 20):
        if world.call(competitions.tell, minutes=nth * LEASE_MINUTES) == 0:
            return
    pytest.fail("there is always something left to tell")


def test_there_are_steps_to_die_at() -> None:
    assert {step.partition(".")[0] for step in STEPS} == PATHS


@pytest.mark.parametrize("step", STEPS)
def test_who_tells_may_die_at_any_step(shared_world: World, numbers: Iterator[int], step: str) -> None:
    number = next(numbers)
    shared_world.call(competitions.prepare_to_tell, number=number)

    assert shared_world.spawn(competitions.tell, fail_at=step).wait() == KILLED_HERE
    told_at_last(shared_world)

    assert shared_world.call(competitions.told, number=number) == competitions.TOLD


def test_who_tells_may_die_at_any_moment_beside_others(
    shared_world: World, numbers: Iterator[int], dice: random.Random
) -> None:
    prepared = [next(numbers) for _ in range(4)]
    for number in prepared:
        shared_world.call(competitions.prepare_to_tell, number=number)

    for _ in range(6):
        tellers = [shared_world.spawn(competitions.tell) for _ in range(2)]
        time.sleep(dice.uniform(0.0, 0.1))
        for teller in tellers:
            teller.kill()
    told_at_last(shared_world)

    for number in prepared:
        assert shared_world.call(competitions.told, number=number) == competitions.TOLD
