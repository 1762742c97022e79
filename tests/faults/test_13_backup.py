"""The drill of docs/operations.md: SQL is dumped, everything is lost, SQL is restored, and ranks are what they were."""

import subprocess
from pathlib import Path

import pytest

from tests.faults import chores, writers
from tests.faults.loads import at_work, is_live, make_boards, wait_until
from tests.faults.verdict import ask_again, check
from tests.faults.world import World

YESTERDAY = -86_400.0
PAST_PATIENCE = 7200.0  # a period that was made after its end is left to its import for an hour


def program(world: World, name: str) -> str:
    """A program that belongs to the world's own PostgreSQL."""
    found = world.sql.made.binaries / name
    if not found.exists():
        pytest.skip(f"{found} is missing: this PostgreSQL was installed without its client programs")
    return str(found)


def run(world: World, name: str, *arguments: str) -> None:
    where = ["--host", str(world.sql.made.folder), "--username", "postgres"]
    subprocess.run([program(world, name), *where, *arguments], check=True, capture_output=True, timeout=120)


def back_up(world: World) -> Path:
    dump = world.folder / "sunwi.dump"
    run(world, "pg_dump", "--format=custom", f"--file={dump}", "sunwi")
    return dump


def lose_redis(world: World) -> None:
    with world.redis.client() as client:
        client.flushall()


def restore(world: World, dump: Path) -> None:
    """SQL as it was, whatever became of it."""
    run(world, "dropdb", "--force", "sunwi")
    run(world, "createdb", "sunwi")
    run(world, "pg_restore", "--exit-on-error", "--dbname=sunwi", str(dump))
    with at_work(world):
        wait_until(lambda: is_live(world), "settled from the backup")


def write(world: World, boards: list[int], seed: int, shift: float = 0.0) -> None:
    history = world.new_history()
    world.call(writers.write, history=history, boards=boards, seed=seed, calls=20, size=20, shift=shift)
    ask_again(world, shift)  # a slow machine may leave some unanswered, and a redis board's ids go with its memory


def test_all_is_as_it_was_after_everything_was_lost_and_sql_restored(world: World, seed: int) -> None:
    boards = [*make_boards(world).values()]
    write(world, boards, seed, shift=YESTERDAY)
    closed = world.call(chores.close_until_final, shift=PAST_PATIENCE)
    write(world, boards, seed + 1)
    world.call(chores.bring_to_rest)
    before = world.call(chores.seen)
    dump = back_up(world)

    lose_redis(world)
    restore(world, dump)

    assert len(closed) == len(boards)
    assert all(each["rows"] and each["live"] for each in before.values())
    assert world.call(chores.seen) == before
    assert world.call(chores.differences) == 0
    write(world, boards, seed + 2)
    check(world)


def test_a_redis_that_was_left_as_it_was_keeps_what_it_decided_and_nothing_else(world: World, seed: int) -> None:
    boards = make_boards(world)
    write(world, [*boards.values()], seed)
    world.call(chores.bring_to_rest)
    at_backup = world.call(chores.seen)
    dump = back_up(world)
    write(world, [*boards.values()], seed + 1)
    world.call(chores.bring_to_rest)
    at_loss = world.call(chores.seen)

    restore(world, dump)
    assert world.call(chores.differences, repair=True) > 0
    world.call(chores.bring_to_rest)

    after = world.call(chores.seen)
    assert world.call(chores.differences) == 0
    for board in at_loss:
        assert after[board] == (at_loss if board.startswith(f"{boards['redis']}/") else at_backup)[board]
        assert at_loss[board] != at_backup[board]
