"""Redis loses its memory in mid-load, or comes back with an older one: nobody ever sees an empty or older board."""

import random
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

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


def _back_up(world: World) -> None:
    shutil.rmtree(_backup(world), ignore_errors=True)
    shutil.copytree(world.redis.files, _backup(world))


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

    history = check(world)
    assert {each.fate for each in history.operations.values()} == {Fate.OK}
    assert check_reads(history, boards.values()) > 10
