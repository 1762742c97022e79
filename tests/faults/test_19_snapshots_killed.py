"""`kill -9` of whoever takes snapshots: each is whole or not there, and there once, whoever takes it at last."""

import random
import re
import time

import pytest

from tests.faults import looks
from tests.faults.children import ROOT
from tests.faults.world import World

KILLED_HERE = 137
STEPS = re.findall(r'failpoint\("([a-z_.]+)"\)', (ROOT / "competitions/services/snapshot.py").read_text())
ALL = len(looks.PLAYERS)


def test_there_are_steps_to_die_at() -> None:
    assert len(STEPS) >= 2


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("step", STEPS)
def test_who_takes_snapshots_may_die_at_any_step(world: World, step: str, nth: int) -> None:
    competitions = world.call(looks.begin)

    assert world.spawn(looks.take, fail_at=f"{step}:{nth}", minutes=30).wait() == KILLED_HERE
    before = world.call(looks.kept)
    taken = world.call(looks.take, minutes=30)

    whole = [[30, number, ALL, ALL] for number in competitions]
    assert len(before) == nth - 1
    assert all(each in whole for each in before)
    assert taken == len(competitions) - len(before)
    assert world.call(looks.kept) == whole


def test_who_takes_snapshots_may_die_at_any_moment_beside_others(world: World, dice: random.Random) -> None:
    competitions = world.call(looks.begin)
    for minutes in (30, 60):
        for _ in range(6):
            takers = [world.spawn(looks.take, minutes=minutes) for _ in range(2)]
            time.sleep(dice.uniform(0.0, 0.1))
            for taker in takers:
                taker.kill()
        world.call(looks.take, minutes=minutes)

    assert world.call(looks.kept) == [[minutes, number, ALL, ALL] for minutes in (30, 60) for number in competitions]
