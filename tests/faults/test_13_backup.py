"""The drill of docs/operations/backup.md: SQL is dumped, all is lost, SQL is restored, and ranks are what they were."""

import subprocess
from pathlib import Path

import pytest

from tests.faults import boards
from tests.faults.check import ask_again, check
from tests.faults.conftest import MakeWorld
from tests.faults.world import World

YESTERDAY = -86_400.0
PAST_PATIENCE = 7200.0  # a period that was made after its end is left to its import for an hour


def run(world: World, name: str, *arguments: str) -> None:
    """A program that belongs to the world's own PostgreSQL."""
    program = world.sql.made.binaries / name
    if not program.exists():
        pytest.skip(f"{program} is missing: this PostgreSQL was installed without its client programs")
    where = ["--host", str(world.sql.made.folder), "--username", "postgres"]
    subprocess.run([program, *where, *arguments], check=True, capture_output=True, timeout=120)


def back_up(world: World) -> Path:
    dump = world.folder / "sunwi.dump"
    run(world, "pg_dump", "--format=custom", f"--file={dump}", "sunwi")
    return dump


def restore(world: World, dump: Path) -> None:
    """SQL as it was, whatever became of it."""
    run(world, "dropdb", "--force", "sunwi")
    run(world, "createdb", "sunwi")
    run(world, "pg_restore", "--exit-on-error", "--dbname=sunwi", str(dump))
    with world.worker():
        world.wait_until_live()


def write(world: World, numbers: dict[str, int], seed: int, shift: float = 0.0) -> None:
    world.write(numbers.values(), seed, calls=20, size=20, shift=shift).result()
    ask_again(world, shift)  # a slow machine may leave some unanswered, and a redis board's ids go with its memory


def test_all_is_as_it_was_after_everything_was_lost_and_sql_restored(world: World, seed: int) -> None:
    numbers = world.make_boards()
    write(world, numbers, seed, shift=YESTERDAY)
    closed = world.call(boards.close_until_final, boards=world.boards, shift=PAST_PATIENCE)
    write(world, numbers, seed + 1)
    world.call(boards.bring_to_rest)
    before = world.call(boards.seen)
    dump = back_up(world)

    world.redis.lose_memory()
    restore(world, dump)

    assert len(closed) == len(numbers)
    assert all(each["rows"] and each["live"] for each in before.values())
    assert world.call(boards.seen) == before
    assert world.call(boards.differences) == 0
    write(world, numbers, seed + 2)
    check(world)


def test_a_redis_that_was_left_as_it_was_keeps_what_it_decided_and_nothing_else(
    make_world: MakeWorld, seed: int
) -> None:
    world = make_world()
    numbers = world.make_boards()
    write(world, numbers, seed)
    world.call(boards.bring_to_rest)
    at_backup = world.call(boards.seen)
    dump = back_up(world)
    write(world, numbers, seed + 1)
    world.call(boards.bring_to_rest)
    at_loss = world.call(boards.seen)

    restore(world, dump)
    assert world.call(boards.differences, repair=True) > 0
    world.call(boards.bring_to_rest)

    after = world.call(boards.seen)
    assert world.call(boards.differences) == 0
    for board in at_loss:
        assert after[board] == (at_loss if board.startswith(f"{numbers['redis']}/") else at_backup)[board]
        assert at_loss[board] != at_backup[board]
