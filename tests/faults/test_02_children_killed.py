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
TOKENS_ARE_OLD_AFTER = 31.0
PROMISED_SECONDS = 30.0
# Settling comes to these only after some other fault, which has a test of its own.
OF_A_DEAD_WRITER, OF_LOST_MEMORY = "settle.after_named", "settle.after_restored_chunk"
ONCE = "close.after_closed_in_redis"  # of the boards, one is in Redis alone
STEPS = steps("leaderboards/services")

Boards = dict[str, int]


def of(path: str, *but: str) -> list[str]:
    """The steps of one path."""
    found = [step for step in STEPS if step.startswith(f"{path}.") and step not in but]
    assert found, f"there are no failpoints of {path}"
    return found


@pytest.fixture(scope="module")
def numbers(shared_world: World) -> Boards:
    """One set of boards for all kills of this module."""
    return shared_world.make_boards()


def at_any_moment(dice: random.Random, world: World, longest: float, **how: Any) -> None:
    """Two who work, killed after a while."""
    workers = [world.spawn(load.work, **how) for _ in range(2)]
    time.sleep(dice.uniform(0.0, longest))
    for worker in workers:
        worker.kill()


@pytest.mark.parametrize("step", of("submit"))
def test_who_submits_may_die_at_any_step(shared_world: World, numbers: Boards, dice: random.Random, step: str) -> None:
    for name in ("redis",) if "script" in step else ("hybrid", "shared", "sql"):
        writer = shared_world.write(
            [numbers[name]], dice.randrange(10**9), fail_at=f"{step}:{dice.randint(1, 3)}", calls=50, players=5000
        )
        assert writer.wait() == KILLED_HERE

    check(shared_world)


def test_who_submits_may_die_at_any_moment(shared_world: World, numbers: Boards, dice: random.Random) -> None:
    world = shared_world
    with world.worker(), world.writers(numbers.values(), dice.randrange(10**9), many=1):
        for _ in range(MOMENTS):
            writer = world.write(numbers.values(), dice.randrange(10**9), size=20)
            time.sleep(dice.uniform(0.0, 0.4))
            writer.kill()

    check(world)


@pytest.mark.parametrize("step", of("settle", OF_A_DEAD_WRITER, OF_LOST_MEMORY))
def test_who_settles_may_die_at_any_step(shared_world: World, numbers: Boards, dice: random.Random, step: str) -> None:
    world = shared_world
    with world.writers(numbers.values(), dice.randrange(10**9), many=1):
        world.redis.restart()  # gives settling the most to do: every period, of every storage

        settler = world.spawn(load.work, fail_at=f"{step}:{dice.randint(1, 2)}", only=["settle"], lease=0.5)

        assert settler.wait() == KILLED_HERE

    check(world)


@pytest.mark.parametrize("nth", range(1, 7))
def test_what_redis_decided_outlives_a_settler_that_died_before_sql_knew(
    shared_world: World, numbers: Boards, dice: random.Random, nth: int
) -> None:
    world = shared_world
    world.write([numbers["redis"]], dice.randrange(10**9), calls=5).result()  # and nobody mirrors it
    world.redis.restart()

    settler = world.spawn(load.work, fail_at=f"settle.after_renew:{nth}", only=["settle"], lease=0.5)

    assert settler.wait() == KILLED_HERE
    check(world)


def test_who_puts_right_what_a_dead_writer_left_may_die_too(
    shared_world: World, numbers: Boards, dice: random.Random
) -> None:
    world = shared_world
    world.call(boards.bring_to_rest)
    writer = world.write([numbers["hybrid"]], dice.randrange(10**9), fail_at="submit.before_commit")
    assert writer.wait() == KILLED_HERE

    settler = world.spawn(load.work, fail_at=OF_A_DEAD_WRITER, only=["settle"], shift=TOKENS_ARE_OLD_AFTER)

    assert settler.wait() == KILLED_HERE
    check(world)


def test_what_a_dead_writer_left_in_redis_is_gone_after_thirty_seconds(shared_world: World, seed: int) -> None:
    world = shared_world
    number = world.make_boards("hybrid")["hybrid"]

    def differs() -> bool:
        return any(shown["differences"] for shown in world.call(boards.show, boards=[number]))

    with world.worker():
        world.write([number], seed, fail_at="submit.before_commit:1").wait()
        died = time.monotonic()
        assert differs()

        wait_until(lambda: not differs(), "what the dead writer put is taken back")
        took = time.monotonic() - died

    print(f"gone after {took:.1f} s")  # noqa: T201 (the measurement)
    assert took < PROMISED_SECONDS
    check(world)


def test_who_gives_a_redis_board_its_memory_back_may_die_half_way(shared_world: World, seed: int) -> None:
    world = shared_world
    world.write(world.make_boards("redis").values(), seed, calls=20, size=50, players=5000).result()
    ask_again(world)
    world.call(boards.bring_to_rest)
    world.redis.lose_memory()

    settler = world.spawn(load.work, fail_at=OF_LOST_MEMORY, only=["settle"])

    assert settler.wait() == KILLED_HERE
    check(world)


def test_who_settles_may_die_at_any_moment(shared_world: World, numbers: Boards, dice: random.Random) -> None:
    world = shared_world
    with world.writers(numbers.values(), dice.randrange(10**9), many=1), world.worker(only=["mirror"]):
        for _ in range(MOMENTS):
            world.redis.restart()
            at_any_moment(dice, world, 0.5, only=["settle"], lease=0.2, pause=0.01)

    check(world)


@pytest.mark.parametrize("step", of("mirror"))
def test_who_mirrors_may_die_at_any_step(shared_world: World, numbers: Boards, dice: random.Random, step: str) -> None:
    world = shared_world
    world.call(boards.bring_to_rest)
    with world.writers([numbers["redis"]], dice.randrange(10**9)):
        mirror = world.spawn(load.work, fail_at=f"{step}:{dice.randint(1, 3)}", only=["mirror"])

        assert mirror.wait() == KILLED_HERE

    check(world)


def test_who_mirrors_may_die_at_any_moment(shared_world: World, numbers: Boards, dice: random.Random) -> None:
    world = shared_world
    world.call(boards.bring_to_rest)
    with world.writers([numbers["redis"]], dice.randrange(10**9)):
        for _ in range(MOMENTS):
            at_any_moment(dice, world, 0.3, only=["mirror"], pause=0.0)

    check(world)


@pytest.fixture(scope="module")
def days() -> Iterator[float]:
    """How far the time of closing tests is ahead: each closes a day that nobody has closed before."""
    return iter(DAY * number for number in range(1, 1000))


@pytest.mark.parametrize("step", of("close"))
def test_who_closes_may_die_at_any_step(
    shared_world: World, numbers: Boards, dice: random.Random, days: Iterator[float], step: str
) -> None:
    world, shift = shared_world, next(days)
    with day_that_ends(world, numbers, dice, shift):
        nth = 1 if step == ONCE else dice.randint(1, 3)
        closer = world.spawn(load.work, fail_at=f"{step}:{nth}", only=["close", "settle"], shift=shift, pause=0.0)

        assert closer.wait() == KILLED_HERE

    close_for_good(world, shift)


def test_who_closes_may_die_at_any_moment(
    shared_world: World, numbers: Boards, dice: random.Random, days: Iterator[float]
) -> None:
    world = shared_world
    for _ in range(MOMENTS):  # each has a day of his own to close, and what those before him left
        shift = next(days)
        with day_that_ends(world, numbers, dice, shift, calls=10):
            at_any_moment(dice, world, 0.3, only=["close", "settle"], shift=shift, pause=0.0)

    close_for_good(world, shift)


@contextmanager
def day_that_ends(world: World, numbers: Boards, dice: random.Random, shift: float, calls: int = 30) -> Iterator[None]:
    """A day that is over at ``shift``, while its last writers are still at it."""
    before = shift - DAY
    with (
        world.writers(numbers.values(), dice.randrange(10**9), shift=before, calls=calls),
        world.worker(only=["mirror"], shift=before),
    ):
        time.sleep(dice.uniform(0.1, 0.4))
        yield
