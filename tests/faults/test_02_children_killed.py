"""`kill -9` of whoever submits, settles, mirrors or closes: at every failpoint, and at random moments."""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults import chores, writers
from tests.faults.children import ROOT
from tests.faults.conftest import LONG, MakeWorld
from tests.faults.loads import at_work, load, make_boards
from tests.faults.verdict import ask_again, check
from tests.faults.world import World

MOMENTS = 60 if LONG else 15
KILLED_HERE = 137
DAY = 86_400.0
TOKENS_ARE_OLD_AFTER = 31.0
# Settling comes to these only after some other fault, which has a test of its own.
OF_A_DEAD_WRITER, OF_LOST_MEMORY = NEEDS_MORE = ("settle.after_named", "settle.after_restored_chunk")
ONCE = "close.after_closed_in_redis"  # of the boards, one is in Redis alone


def _failpoints(path: str) -> list[str]:
    """The names of all steps of one path, as the product has them."""
    services = ROOT / "leaderboards" / "services"
    names = {name for source in services.glob("*.py") for name in _named(source)}
    found = sorted(name for name in names if name.startswith(f"{path}."))
    assert found, f"there are no failpoints of {path}"
    return found


def _named(source: Path) -> list[str]:
    return re.findall(r'failpoint\("([a-z_.]+)"\)', source.read_text())


@pytest.fixture(scope="module")
def shared_world(make_lasting_world: MakeWorld) -> World:
    """One world for all kills of this module: what one leaves behind must not trouble the next."""
    return make_lasting_world()


@pytest.fixture(scope="module")
def boards(shared_world: World) -> dict[str, int]:
    return make_boards(shared_world)


def _redis_comes_back(world: World) -> None:
    """A restart is what gives settling the most to do: every period, of every storage."""
    world.redis.kill()
    world.redis.start()


@pytest.mark.parametrize("step", _failpoints("submit"))
def test_who_submits_may_die_at_any_step(
    shared_world: World, boards: dict[str, int], dice: random.Random, step: str
) -> None:
    world = shared_world
    for name in ("redis",) if "script" in step else ("hybrid", "shared", "sql"):
        writer = world.spawn(
            writers.write, fail_at=f"{step}:{dice.randint(1, 3)}", history=world.new_history(), boards=[boards[name]],
            seed=dice.randrange(10**9), calls=50, players=5000,
        )  # fmt: skip  # as a table
        assert writer.wait() == KILLED_HERE

    check(world)


def test_who_submits_may_die_at_any_moment(shared_world: World, boards: dict[str, int], dice: random.Random) -> None:
    world, every = shared_world, [*boards.values()]
    with at_work(world), load(world, every, dice.randrange(10**9), count=1):
        for _ in range(MOMENTS):
            writer = world.spawn(
                writers.write, history=world.new_history(), boards=every, seed=dice.randrange(10**9), size=20
            )
            time.sleep(dice.uniform(0.0, 0.4))
            writer.kill()

    check(world)


@pytest.mark.parametrize("step", [each for each in _failpoints("settle") if each not in NEEDS_MORE])
def test_who_settles_may_die_at_any_step(
    shared_world: World, boards: dict[str, int], dice: random.Random, step: str
) -> None:
    world = shared_world
    with load(world, [*boards.values()], dice.randrange(10**9), count=1):
        time.sleep(0.2)
        _redis_comes_back(world)

        settler = world.spawn(writers.work, fail_at=f"{step}:{dice.randint(1, 2)}", only=["settle"], lease=0.5)

        assert settler.wait() == KILLED_HERE

    check(world)


@pytest.mark.parametrize("nth", range(1, 7))
def test_what_redis_decided_outlives_a_settler_that_died_before_sql_knew(
    shared_world: World, boards: dict[str, int], dice: random.Random, nth: int
) -> None:
    world = shared_world
    writer = world.spawn(
        writers.write, history=world.new_history(), boards=[boards["redis"]], seed=dice.randrange(10**9), calls=5
    )
    writer.result()  # and nobody mirrors it
    _redis_comes_back(world)

    settler = world.spawn(writers.work, fail_at=f"settle.after_renew:{nth}", only=["settle"], lease=0.5)

    assert settler.wait() == KILLED_HERE
    check(world)


def test_who_puts_right_what_a_dead_writer_left_may_die_too(
    shared_world: World, boards: dict[str, int], dice: random.Random
) -> None:
    world = shared_world
    world.call(chores.bring_to_rest)
    writer = world.spawn(
        writers.write, fail_at="submit.before_commit", history=world.new_history(), boards=[boards["hybrid"]],
        seed=dice.randrange(10**9),
    )  # fmt: skip  # as a table
    assert writer.wait() == KILLED_HERE

    settler = world.spawn(writers.work, fail_at=OF_A_DEAD_WRITER, only=["settle"], shift=TOKENS_ARE_OLD_AFTER)

    assert settler.wait() == KILLED_HERE
    check(world)


def test_who_gives_a_redis_board_its_memory_back_may_die_half_way(world: World, seed: int) -> None:
    boards = make_boards(world, "redis")
    world.call(
        writers.write, history=world.new_history(), boards=[*boards.values()], seed=seed, calls=20, size=50,
        players=5000,
    )  # fmt: skip  # as a table
    ask_again(world)
    world.call(chores.bring_to_rest)
    with world.redis.client() as client:
        client.flushall()

    settler = world.spawn(writers.work, fail_at=OF_LOST_MEMORY, only=["settle"])

    assert settler.wait() == KILLED_HERE
    check(world)


def test_who_settles_may_die_at_any_moment(shared_world: World, boards: dict[str, int], dice: random.Random) -> None:
    world = shared_world
    with load(world, [*boards.values()], dice.randrange(10**9), count=1), at_work(world, only=["mirror"]):
        for _ in range(MOMENTS):
            _redis_comes_back(world)
            settlers = [world.spawn(writers.work, only=["settle"], lease=0.2, pause=0.01) for _ in range(2)]
            time.sleep(dice.uniform(0.0, 0.5))
            for settler in settlers:
                settler.kill()

    check(world)


@pytest.mark.parametrize("step", _failpoints("mirror"))
def test_who_mirrors_may_die_at_any_step(
    shared_world: World, boards: dict[str, int], dice: random.Random, step: str
) -> None:
    world = shared_world
    world.call(chores.bring_to_rest)
    with load(world, [boards["redis"]], dice.randrange(10**9)):
        mirror = world.spawn(writers.work, fail_at=f"{step}:{dice.randint(1, 3)}", only=["mirror"])

        assert mirror.wait() == KILLED_HERE

    check(world)


def test_who_mirrors_may_die_at_any_moment(shared_world: World, boards: dict[str, int], dice: random.Random) -> None:
    world = shared_world
    world.call(chores.bring_to_rest)
    with load(world, [boards["redis"]], dice.randrange(10**9)):
        for _ in range(MOMENTS):
            mirrors = [world.spawn(writers.work, only=["mirror"], pause=0.0) for _ in range(2)]
            time.sleep(dice.uniform(0.0, 0.3))
            for mirror in mirrors:
                mirror.kill()

    check(world)


@pytest.fixture(scope="module")
def days() -> Iterator[float]:
    """How far the time of closing tests is ahead: each closes a day that nobody has closed before."""
    return iter(DAY * number for number in range(1, 1000))


@pytest.mark.parametrize("step", _failpoints("close"))
def test_who_closes_may_die_at_any_step(
    shared_world: World, boards: dict[str, int], dice: random.Random, days: Iterator[float], step: str
) -> None:
    world, shift = shared_world, next(days)
    with _day_that_ends(world, boards, dice, shift):
        nth = 1 if step == ONCE else dice.randint(1, 3)
        closer = world.spawn(writers.work, fail_at=f"{step}:{nth}", only=["close", "settle"], shift=shift, pause=0.0)

        assert closer.wait() == KILLED_HERE

    _is_closed_for_good(world, shift)


def test_who_closes_may_die_at_any_moment(
    shared_world: World, boards: dict[str, int], dice: random.Random, days: Iterator[float]
) -> None:
    world = shared_world
    for _ in range(MOMENTS):  # each has a day of his own to close, and what those before him left
        shift = next(days)
        with _day_that_ends(world, boards, dice, shift, calls=10):
            closer = world.spawn(writers.work, only=["close", "settle"], shift=shift, pause=0.0)
            time.sleep(dice.uniform(0.0, 0.3))
            closer.kill()

    _is_closed_for_good(world, shift)


@contextmanager
def _day_that_ends(
    world: World, boards: dict[str, int], dice: random.Random, shift: float, calls: int = 30
) -> Iterator[None]:
    """A day that is over at ``shift``, while its last writers are still at it."""
    before = shift - DAY
    with (
        load(world, [*boards.values()], dice.randrange(10**9), shift=before, calls=calls),
        at_work(world, only=["mirror"], shift=before),
    ):
        time.sleep(dice.uniform(0.1, 0.4))
        yield


def _is_closed_for_good(world: World, shift: float) -> None:
    """Somebody closes again, and once more: nothing moves."""
    first = world.call(chores.close_until_final, shift=shift)
    again = world.call(chores.close_until_final, shift=shift)

    assert first == again
    check(world, shift=shift)
    _final_is_what_stood(world)


def _final_is_what_stood(world: World) -> None:
    """Every final period has each of its players once, in the order of their points."""
    finals = [shown for shown in world.call(chores.show) if shown["state"] == "final"]
    assert finals
    for shown in finals:
        assert sorted(player for _, player, _ in shown["final"]) == sorted(shown["points"])
        placed = [shown["points"][player] for _, player, _ in shown["final"]]
        assert placed == sorted(placed, reverse=True)
