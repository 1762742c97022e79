"""`kill -9` of whoever submits, settles, mirrors or closes: at every failpoint, and at random moments."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.faults import boards, load
from tests.faults.check import ask_again, check, close_for_good
from tests.faults.conftest import LONG, steps
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World, wait_until

MOMENTS = 60 if LONG else 12
DAY = 86_400.0
PROMISED_SECONDS = 5.0
# Settling comes to these only after its memory was lost, which has a test of its own.
OF_LOST_MEMORY = {"redis": "settle.after_restored_chunk", "hybrid": "settle.after_rebuilt_chunk"}
ONCE = "close.after_closed_in_redis"  # of the boards, one is in Redis alone
SUBMITTING = steps("leaderboards/services", "submit")
RECONCILING = steps("leaderboards/services", "reconcile")
SETTLING = [step for step in steps("leaderboards/services", "settle") if step not in OF_LOST_MEMORY.values()]
MIRRORING, CLOSING = (steps("leaderboards/services", path) for path in ("mirror", "close"))

Boards = dict[str, int]


@pytest.fixture(scope="module")
def world(shared_world: World) -> World:
    """One for all kills of this module: what was left behind must not trouble the next."""
    return shared_world


@pytest.fixture(scope="module")
def numbers(world: World) -> Boards:
    return world.make_boards()


@pytest.fixture
def any_seed(dice: random.Random) -> int:
    """As boards are shared, each test has entries of its own."""
    return dice.randrange(10**9)


def die_at(world: World, step: str, *duties: str, **how: Any) -> None:
    """Somebody who works, until they die at that step."""
    assert world.spawn(load.work, fail_at=step, only=duties, **how).wait() == KILLED_HERE


def at_any_moment(dice: random.Random, world: World, longest: float, *duties: str, **how: Any) -> None:
    workers = [world.spawn(load.work, only=duties, **how) for _ in range(2)]
    time.sleep(dice.uniform(0.0, longest))
    for worker in workers:
        worker.kill()


@pytest.mark.parametrize("step", SUBMITTING)
def test_who_submits_may_die_at_any_step(world: World, numbers: Boards, dice: random.Random, step: str) -> None:
    storages = {"script": ("redis",), "publish": ("hybrid", "shared")}
    for name in storages.get(step.rpartition("_")[2], ("hybrid", "shared", "sql")):
        how = {"fail_at": f"{step}:{dice.randint(1, 3)}", "calls": 50, "players": 5000}
        assert world.write([numbers[name]], dice.randrange(10**9), **how).wait() == KILLED_HERE

    check(world)


@pytest.mark.parametrize("step", [*SETTLING, *(f"settle.after_renew:{nth}" for nth in range(1, 7))])
def test_who_settles_may_die_at_any_step(
    world: World, numbers: Boards, dice: random.Random, any_seed: int, step: str
) -> None:
    world.call(boards.bring_to_rest)
    world.write([numbers["redis"]], any_seed, calls=5).result()  # and nobody mirrors it
    with world.writers(numbers.values(), any_seed, many=1):
        world.redis.restart()  # gives settling the most to do: every period, of every storage

        die_at(world, step if ":" in step else f"{step}:{dice.randint(1, 2)}", "settle", lease=0.5)

    check(world)


@pytest.mark.parametrize("step", RECONCILING)
def test_who_reconciles_may_die_at_any_step(world: World, numbers: Boards, any_seed: int, step: str) -> None:
    world.call(boards.bring_to_rest)
    world.write([numbers["hybrid"]], any_seed, fail_at="submit.before_publish:3").wait()
    if step not in ("reconcile.after_there", "reconcile.after_read"):
        world.redis.freeze()  # what is written meanwhile is marked
        world.write([numbers["hybrid"]], any_seed + 1, calls=3).result()
        world.redis.thaw()

    die_at(world, step, "settle")

    check(world)


@pytest.mark.parametrize("step", ["submit.before_commit", "submit.before_publish"])
def test_what_a_dead_writer_left_is_put_right_within_seconds(world: World, any_seed: int, step: str) -> None:
    number = world.make_boards("hybrid")["hybrid"]

    def differs() -> bool:
        return any(shown["differences"] for shown in world.call(boards.show, boards=[number]))

    with world.worker():
        assert world.write([number], any_seed, fail_at=f"{step}:1").wait() == KILLED_HERE

        wait_until(lambda: not differs(), "what the dead writer has committed is shown", PROMISED_SECONDS)

    check(world)


@pytest.mark.parametrize("storage", OF_LOST_MEMORY)
def test_who_gives_a_board_its_memory_back_may_die_half_way(world: World, any_seed: int, storage: str) -> None:
    world.write(world.make_boards(storage).values(), any_seed, calls=20, size=50, players=5000).result()
    ask_again(world)
    world.call(boards.bring_to_rest)
    world.redis.lose_memory()

    die_at(world, OF_LOST_MEMORY[storage], "settle")

    check(world)


@pytest.mark.parametrize("step", MIRRORING)
def test_who_mirrors_may_die_at_any_step(
    world: World, numbers: Boards, dice: random.Random, any_seed: int, step: str
) -> None:
    world.call(boards.bring_to_rest)
    with world.writers([numbers["redis"]], any_seed):
        die_at(world, f"{step}:{dice.randint(1, 3)}", "mirror")

    check(world)


def test_who_submits_settles_or_mirrors_may_die_at_any_moment(
    world: World, numbers: Boards, dice: random.Random, any_seed: int
) -> None:
    with world.writers(numbers.values(), any_seed, many=1), world.worker(only=["mirror"]):
        for _ in range(2 * MOMENTS):
            if dice.random() < 0.5:
                world.redis.restart()
            writer = world.write(numbers.values(), dice.randrange(10**9), size=20)
            at_any_moment(dice, world, 0.5, "settle", "mirror", lease=0.2, pause=0.01)
            writer.kill()

    check(world)


# How far the time of closing tests is ahead: each closes a day that nobody has closed before.
days = (DAY * number for number in range(1, 1000))


@pytest.mark.parametrize("step", CLOSING)
def test_who_closes_may_die_at_any_step(world: World, numbers: Boards, dice: random.Random, step: str) -> None:
    shift = next(days)
    with day_that_ends(world, numbers, dice, shift):
        nth = 1 if step == ONCE else dice.randint(1, 3)
        die_at(world, f"{step}:{nth}", "close", "settle", shift=shift, pause=0.0)

    close_for_good(world, shift)


def test_who_closes_may_die_at_any_moment(world: World, numbers: Boards, dice: random.Random) -> None:
    for _ in range(MOMENTS):  # each has a day of his own to close, and what those before him left
        shift = next(days)
        with day_that_ends(world, numbers, dice, shift, calls=10):
            at_any_moment(dice, world, 0.3, "close", "settle", shift=shift, pause=0.0)

    close_for_good(world, shift)


@contextmanager
def day_that_ends(world: World, numbers: Boards, dice: random.Random, shift: float, calls: int = 30) -> Iterator[None]:
    """A day that is over at ``shift``, while its last writers are still at it."""
    before = shift - DAY
    writers = world.writers(numbers.values(), dice.randrange(10**9), shift=before, calls=calls)
    with writers, world.worker(only=["mirror"], shift=before):
        time.sleep(dice.uniform(0.1, 0.4))
        yield
