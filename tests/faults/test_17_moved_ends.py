"""`kill -9` of whoever moves an end or freezes, while others score: at every failpoint, and at random moments."""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.faults import chores, races
from tests.faults.children import ROOT
from tests.faults.conftest import LONG, MakeWorld
from tests.faults.loads import at_work
from tests.faults.verdict import check
from tests.faults.world import World

MOMENTS = 60 if LONG else 15
KILLED_HERE = 137
STEPS = {
    service: re.findall(r'failpoint\("([a-z_.]+)"\)', (ROOT / f"leaderboards/services/{service}.py").read_text())
    for service in ("extend", "freeze")
}
IN_REDIS_ONLY = "extend.after_renew"
# Milliseconds in the score: every new end packs every score anew.
RULES = {"period": "event", "tie_break": "score", "maximum": 100_000, "total_maximum": 2**20 - 1}


@pytest.fixture(scope="module")
def shared_world(make_lasting_world: MakeWorld) -> World:
    return make_lasting_world()


@pytest.fixture(scope="module")
def boards(shared_world: World) -> dict[str, int]:
    return _begun(shared_world)


def _begun(world: World) -> dict[str, int]:
    """A competition in each storage."""
    settings = [{"name": storage, "storage": storage, **RULES} for storage in ("hybrid", "redis", "sql")]
    made: dict[str, int] = world.call(chores.make_boards, settings=settings)
    world.call(races.begin, boards=[*made.values()])
    return made


@pytest.fixture(scope="module")
def ends() -> Iterator[float]:
    """Days to an end that nobody has moved to before, later each time."""
    return (1 + number / 100 for number in range(1, 1000))


@contextmanager
def racing(world: World, boards: dict[str, int], dice: random.Random) -> Iterator[None]:
    """Two who score on all boards, and a worker; afterwards nothing is lost, doubled, or packed by an older layout."""
    every = [*boards.values()]
    writers = [
        world.spawn(races.write, history=world.new_history(), boards=every, seed=dice.randrange(10**9))
        for _ in range(2)
    ]
    with at_work(world, only=["mirror", "settle"], lease=0.3, pause=0.02):
        time.sleep(0.2)
        yield
        assert all(writer.stop() > 0 for writer in writers)

    check(world, exact=False)
    assert world.call(races.badly_packed, boards=every) == []


@pytest.mark.parametrize("step", STEPS["extend"])
def test_who_moves_an_end_may_die_at_any_step(
    shared_world: World, boards: dict[str, int], dice: random.Random, ends: Iterator[float], step: str
) -> None:
    world, days = shared_world, next(ends)
    with racing(world, boards, dice):
        for storage, board in boards.items():
            world.call(races.move_at_last, board=board, days=next(ends))
            mover = world.spawn(races.move, fail_at=step, board=board, days=days)

            assert mover.wait() == (0 if (storage, step) == ("sql", IN_REDIS_ONLY) else KILLED_HERE)
            world.call(races.move_at_last, board=board, days=days)


def test_who_moves_ends_may_die_at_any_moment(
    shared_world: World, boards: dict[str, int], dice: random.Random, ends: Iterator[float]
) -> None:
    world = shared_world
    with racing(world, boards, dice):
        for _ in range(MOMENTS):
            movers = [world.spawn(races.move, board=board, days=next(ends)) for board in boards.values()]
            time.sleep(dice.uniform(0.0, 0.15))
            for mover in movers:
                mover.kill()


@pytest.mark.parametrize("step", STEPS["freeze"])
def test_who_freezes_may_die_at_any_step(make_world: MakeWorld, dice: random.Random, step: str) -> None:
    world = make_world()
    boards = _begun(world)
    with racing(world, boards, dice):
        time.sleep(0.5)
        deaths = [world.spawn(races.freeze, fail_at=step, board=board).wait() for board in boards.values()]
        copied = [world.call(races.freeze, board=board) for board in boards.values()]
        time.sleep(0.5)
        again = [world.call(races.freeze, board=board) for board in boards.values()]

    assert deaths == [KILLED_HERE] * len(boards)
    assert again == copied
    assert all(copied)
