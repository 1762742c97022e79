"""`kill -9` of whoever tells players and rewards them: each notice, mail, webhook and reward is there, once."""

import random
import re
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.faults import messages
from tests.faults.conftest import MakeWorld
from tests.faults.world import World

SERVICES = Path(__file__).parents[2] / "competitions" / "services"
KILLED_HERE = 137
LEASE_MINUTES = 3


def _steps() -> list[str]:
    """The steps of whoever tells and rewards, as the product has them."""
    found = {
        step
        for source in SERVICES.glob("*.py")
        for step in re.findall(r'failpoint\("([a-z_.]+)"\)', source.read_text())
    }
    return sorted(step for step in found if step.partition(".")[0] in ("compare", "release", "mail", "reward"))


@pytest.fixture(scope="module")
def shared_world(make_lasting_world: MakeWorld) -> World:
    return make_lasting_world()


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Each test prepares something of its own."""
    return count()


def _told_at_last(world: World) -> None:
    """Somebody tells again, after the time that a mail is claimed for, until nothing is left."""
    for nth in range(1, 20):
        if world.call(messages.tell, minutes=nth * LEASE_MINUTES) == 0:
            return
    pytest.fail("there is always something left to tell")


def test_there_are_steps_to_die_at() -> None:
    assert {step.partition(".")[0] for step in _steps()} == {"compare", "release", "mail", "reward"}


@pytest.mark.parametrize("step", _steps())
def test_who_tells_may_die_at_any_step(shared_world: World, numbers: Iterator[int], step: str) -> None:
    number = next(numbers)
    shared_world.call(messages.prepare, number=number)

    assert shared_world.spawn(messages.tell, fail_at=step).wait() == KILLED_HERE
    _told_at_last(shared_world)

    assert shared_world.call(messages.count, number=number) == messages.EXPECTED


def test_who_tells_may_die_at_any_moment_beside_others(
    shared_world: World, numbers: Iterator[int], dice: random.Random
) -> None:
    prepared = [next(numbers) for _ in range(4)]
    for number in prepared:
        shared_world.call(messages.prepare, number=number)

    for _ in range(6):
        tellers = [shared_world.spawn(messages.tell) for _ in range(2)]
        time.sleep(dice.uniform(0.0, 0.1))
        for teller in tellers:
            teller.kill()
    _told_at_last(shared_world)

    for number in prepared:
        assert shared_world.call(messages.count, number=number) == messages.EXPECTED
