"""Redis loses its memory in mid-load, or comes back with an older one: nobody ever sees an empty or older board."""

import random
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.faults import chores, writers
from tests.faults.conftest import LONG
from tests.faults.history import Fate, History
from tests.faults.loads import ALWAYS_EXACT, at_work, is_live, load, make_boards, mirrored, readers, wait_until
from tests.faults.verdict import check, check_reads
from tests.faults.world import World

TIMES = 10 if LONG else 3

Loss = Callable[[World], None]


def _flushed(world: World) -> None:
    with world.redis.client() as client:
        client.flushall()


def _another_server(world: World) -> None:
    """A Redis that remembers nothing, where the old one was."""
    world.redis.kill()
    shutil.rmtree(world.redis.files)
    world.redis.start()


def _older_files(world: World) -> None:
    """The append-only files of a moment ago, as from a backup."""
    world.redis.kill()
    shutil.rmtree(world.redis.files)
    _backup(world).rename(world.redis.files)
    world.redis.start()


def _backup(world: World) -> Path:
    return world.folder / "backup"


def _back_up(world: World) -> Path:
    shutil.rmtree(_backup(world), ignore_errors=True)
    return Path(shutil.copytree(world.redis.files, _backup(world)))


@pytest.mark.parametrize("lose", [_flushed, _another_server, _older_files])
def test_lost_memory_loses_nothing_that_sql_knew_and_nobody_sees_an_empty_board(
    world: World, seed: int, dice: random.Random, lose: Loss
) -> None:
    boards = make_boards(world)
    exact = [boards[name] for name in ALWAYS_EXACT]
    known: list[tuple[float, Mapping[str, int]]] = []

    with readers(world, [*boards.values()]), at_work(world):
        # Ids go with the memory of a redis board, so nothing is sent to it twice.
        with load(world, exact, seed), load(world, [boards["redis"]], seed + 10, again=0.0):
            for _ in range(TIMES):
                time.sleep(dice.uniform(0.2, 0.6))
                _back_up(world)
                time.sleep(dice.uniform(0.2, 0.6))
                wait_until(
                    lambda: bool(mirrored(world, boards["redis"])), "something that SQL knows of the redis board"
                )
                before = mirrored(world, boards["redis"])
                lose(world)
                known.append((time.monotonic(), before))
                wait_until(lambda: is_live(world), "settled after its memory was lost")
        time.sleep(0.3)
        wait_until(lambda: len(History.of(world.histories).reads) > 30, "thirty boards read")

    history = check(world, lossy=[boards["redis"]])
    assert {each.fate for number in exact for each in history.on(number)} == {Fate.OK}
    assert check_reads(history, exact) > 20
    _nothing_of_what_sql_knew_is_lost(history, boards["redis"], known, mirrored(world, boards["redis"]))


def _nothing_of_what_sql_knew_is_lost(
    history: History, board: int, known: list[tuple[float, Mapping[str, int]]], final: Mapping[str, int]
) -> None:
    """Neither in the end, nor for any reader who asked after the loss."""
    for lost_at, before in known:
        later = [read.points for read in history.reads if read.board == board and read.began > lost_at]
        for seen in [final, *later]:
            older = {name: (seen.get(name), points) for name, points in before.items() if seen.get(name, 0) < points}
            assert not older, f"less than SQL had: {older}"


def test_a_whole_restore_that_is_cut_off_by_another_loss_is_taken_up_again(
    world: World, seed: int, dice: random.Random
) -> None:
    boards = make_boards(world, "hybrid", "shared")

    with (
        readers(world, [*boards.values()]),
        at_work(world),
        load(world, [*boards.values()], seed, players=1500, size=60),
    ):
        for _ in range(4 * TIMES):
            time.sleep(dice.uniform(0.0, 0.3))
            _flushed(world)
        wait_until(lambda: len(History.of(world.histories).reads) > 10, "ten boards read")

    history = check(world)
    assert {each.fate for each in history.operations.values()} == {Fate.OK}
    assert check_reads(history, boards.values()) > 10


def test_files_from_before_an_earlier_rollback_do_not_hide_what_was_written_since(world: World, seed: int) -> None:
    board = make_boards(world, "redis")["redis"]
    first, second = world.folder / "first", world.folder / "second"
    _write_and(world, board, seed, calls=5, then=chores.bring_to_rest)
    _back_up(world).rename(first)
    _write_and(world, board, seed + 1, calls=30, then=chores.show)  # nobody mirrors these
    _back_up(world).rename(second)
    _come_back_with(world, first)
    _write_and(world, board, seed + 2, calls=8, then=chores.bring_to_rest)
    before = mirrored(world, board)

    _come_back_with(world, second)

    after = mirrored(world, board)
    assert {player for player, points in before.items() if after.get(player, 0) < points} == set()
    assert not any(shown["differences"] for shown in world.call(chores.show))


def _write_and(world: World, board: int, seed: int, *, calls: int, then: Callable[..., object]) -> None:
    history = world.new_history()
    world.call(writers.write, history=history, boards=[board], seed=seed, calls=calls, again=0.0)
    world.call(then)


def _come_back_with(world: World, files: Path) -> None:
    files.rename(_backup(world))
    _older_files(world)
    world.call(chores.bring_to_rest)
