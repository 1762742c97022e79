"""`kill -9` of whoever moves an end or freezes, while others score: at every failpoint, and at random moments."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.faults import competitions
from tests.faults.check import check
from tests.faults.conftest import LONG, steps
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World

MOMENTS = 60 if LONG else 12
IN_REDIS_ONLY = "extend.after_renew"
# Milliseconds in the score: every new end packs every score anew.
RULES = {"period": "event", "tie_break": "score", "maximum": 100_000, "total_maximum": 2**20 - 1}
# Days to an end that nobody has moved to before, later each time.
ends = (1 + number / 100 for number in range(1, 1000))


@pytest.fixture(scope="module")
def races(shared_world: World) -> dict[str, int]:
    """A competition in each storage."""
    return begun(shared_world)


def begun(world: World) -> dict[str, int]:
    made = world.make_boards("hybrid", "redis", "sql", **RULES)
    world.call(competitions.begin_races, boards=[*made.values()])
    return made


@contextmanager
def racing(world: World, races: dict[str, int], dice: random.Random) -> Iterator[None]:
    """Two who score in all of them, and a worker; at last nothing is lost, doubled, or packed by an older layout."""
    every = [*races.values()]
    how: dict[str, Any] = {"boards": every, "again": 0.0, "pause": 0.005}
    writers = [
        world.spawn(competitions.score, history=world.new_history(), seed=dice.randrange(10**9), **how)
        for _ in range(2)
    ]
    with world.worker(only=["mirror", "settle"], lease=0.3, pause=0.02):
        world.wait_until_taken(*every)
        try:
            yield
        finally:  # a test that fails leaves nobody who would score in the next one
            played = [writer.stop() for writer in writers]
        assert all(plays > 0 for plays in played)

    check(world, exact=False)
    assert world.call(competitions.badly_packed, boards=every) == []


@pytest.mark.parametrize("step", steps("leaderboards/services", "extend"))
def test_who_moves_an_end_may_die_at_any_step(
    shared_world: World, races: dict[str, int], dice: random.Random, step: str
) -> None:
    world, days = shared_world, next(ends)
    with racing(world, races, dice):
        for storage, board in races.items():
            world.call(competitions.move_end_at_last, board=board, days=next(ends))
            # Again and again: while Redis is brought up to date, moving is refused for a moment.
            mover = world.spawn(competitions.move_end_at_last, fail_at=step, board=board, days=days)

            assert mover.wait() == (0 if step == IN_REDIS_ONLY and storage != "redis" else KILLED_HERE)
            world.call(competitions.move_end_at_last, board=board, days=days)


def test_who_moves_ends_may_die_at_any_moment(shared_world: World, races: dict[str, int], dice: random.Random) -> None:
    world = shared_world
    with racing(world, races, dice):
        for _ in range(MOMENTS):
            movers = [world.spawn(competitions.move_end, board=board, days=next(ends)) for board in races.values()]
            time.sleep(dice.uniform(0.0, 0.15))
            for mover in movers:
                mover.kill()


@pytest.mark.parametrize("step", steps("leaderboards/services", "freeze"))
def test_who_freezes_may_die_at_any_step(shared_world: World, dice: random.Random, step: str) -> None:
    world = shared_world
    races = begun(world)
    with racing(world, races, dice):
        deaths = [world.spawn(competitions.freeze, fail_at=step, board=board).wait() for board in races.values()]
        copied = [world.call(competitions.freeze, board=board) for board in races.values()]
        world.wait_until_taken(*races.values())
        again = [world.call(competitions.freeze, board=board) for board in races.values()]

    assert deaths == [KILLED_HERE] * len(races)
    assert again == copied
    assert all(copied)
