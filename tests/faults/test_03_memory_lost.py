"""Redis loses its memory in mid-load, comes back with an older one, or is full: nobody sees an empty or older board."""

import random
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.faults import boards
from tests.faults.check import check, check_reads
from tests.faults.conftest import LONG
from tests.faults.history import Fate
from tests.faults.world import ALWAYS_EXACT, World, wait_until

TIMES = 10 if LONG else 2

Loss = Callable[[World], None]


def emptied(world: World) -> None:
    world.redis.lose_memory()


def another_server(world: World) -> None:
    """A Redis that remembers nothing, where the old one was."""
    world.redis.kill()
    shutil.rmtree(world.redis.files)
    world.redis.start()


def older_files(world: World) -> None:
    """The append-only files of a moment ago, as from a backup."""
    world.redis.kill()
    shutil.rmtree(world.redis.files)
    (world.folder / "backup").rename(world.redis.files)
    world.redis.start()


def back_up(world: World) -> Path:
    shutil.rmtree(world.folder / "backup", ignore_errors=True)
    return Path(shutil.copytree(world.redis.files, world.folder / "backup"))


@pytest.mark.parametrize("lose", [emptied, another_server, older_files])
def test_lost_memory_loses_nothing_that_sql_knew_and_nobody_sees_an_empty_board(
    world: World, seed: int, dice: random.Random, lose: Loss
) -> None:
    numbers = world.make_boards()
    exact, by_redis = [numbers[name] for name in ALWAYS_EXACT], numbers["redis"]
    known: list[tuple[float, Mapping[str, int]]] = []

    with (
        world.reader(numbers.values()),
        world.worker(),
        world.writers(exact, seed),
        world.writers([by_redis], seed + 10, again=0.0),  # ids go with the memory: nothing is sent twice
    ):
        for _ in range(TIMES):
            time.sleep(dice.uniform(0.2, 0.6))
            back_up(world)
            time.sleep(dice.uniform(0.2, 0.6))
            wait_until(lambda: bool(world.mirrored(by_redis)), "something that SQL knows of the redis board")
            before = world.mirrored(by_redis)
            lose(world)
            known.append((time.monotonic(), before))
            world.wait_until_live()
        wait_until(lambda: len(world.history().reads) > 30, "thirty boards read")

    world.lossy.add(by_redis)
    history = check(world)
    assert history.fates(*exact) == {Fate.OK}
    assert check_reads(history, exact) > 20
    for lost_at, older in known:  # nothing of it is lost, neither in the end nor for who asked after the loss
        later = [read.points for read in history.reads if read.board == by_redis and read.began > lost_at]
        assert not any(lacking(older, seen) for seen in [world.mirrored(by_redis), *later])


def lacking(before: Mapping[str, int], seen: Mapping[str, int]) -> set[str]:
    return {name for name, points in before.items() if seen.get(name, 0) < points}


def test_a_whole_restore_that_is_cut_off_by_another_loss_is_taken_up_again(
    world: World, seed: int, dice: random.Random
) -> None:
    numbers = world.make_boards("hybrid", "shared").values()

    with world.reader(numbers), world.worker(), world.writers(numbers, seed, players=1500, size=60):
        for _ in range(6 * TIMES):
            time.sleep(dice.uniform(0.0, 0.3))
            world.redis.lose_memory()
        wait_until(lambda: len(world.history().reads) > 10, "ten boards read")

    history = check(world)
    assert history.fates(*numbers) == {Fate.OK}
    assert check_reads(history, numbers) > 10


def test_files_from_before_an_earlier_rollback_do_not_hide_what_was_written_since(world: World, seed: int) -> None:
    number = world.make_boards("redis")["redis"]
    first, second = world.folder / "first", world.folder / "second"

    def write(seed: int, calls: int, mirrored: bool = True) -> None:
        world.write([number], seed, calls=calls, again=0.0).result()
        if mirrored:
            world.call(boards.bring_to_rest)

    def come_back_with(files: Path) -> None:
        files.rename(world.folder / "backup")
        older_files(world)
        world.call(boards.bring_to_rest)

    write(seed, calls=5)
    back_up(world).rename(first)
    write(seed + 1, calls=30, mirrored=False)
    back_up(world).rename(second)
    come_back_with(first)
    write(seed + 2, calls=8)
    before = world.mirrored(number)

    come_back_with(second)

    assert not lacking(before, world.mirrored(number))
    assert not any(shown["differences"] for shown in world.call(boards.show, boards=world.boards))


@pytest.mark.parametrize(("size", "room"), [(4, 20_000), (200, 400_000)])
def test_a_full_redis_takes_nothing_by_halves(world: World, seed: int, size: int, room: int) -> None:
    numbers = world.make_boards()
    decided_by_redis = numbers["redis"]

    def refuses() -> bool:
        return [each.fate for each in world.history().on(decided_by_redis)].count(Fate.FAILED) > 50

    with world.worker(), world.writers(numbers.values(), seed, players=100_000, size=size, pause=0.005):
        world.wait_until_taken(*numbers.values())
        with world.redis.client() as client:
            client.config_set("maxmemory", int(client.info("memory")["used_memory"]) + room)
        wait_until(refuses, "redis boards that refuse")
        wait_until(world.is_stale, "hybrid boards that are stale")
        time.sleep(0.5)
        with world.redis.client() as client:
            client.config_set("maxmemory", 0)
        world.wait_until_live()
        world.wait_until_taken(*numbers.values())

    history = check(world)
    assert history.fates(*(numbers[name] for name in ALWAYS_EXACT)) == {Fate.OK}
    assert history.fates(decided_by_redis) == {Fate.OK, Fate.FAILED}
    assert {each.code for each in history.attempts(decided_by_redis) if each.code} == {"unavailable"}
