"""The harness itself: a calm world is exact, and the verdict sees what is lost, doubled or invented."""

import pytest

from tests.faults import chores, writers
from tests.faults.verdict import check, check_reads
from tests.faults.world import World

BOARDS = [
    {"name": "hybrid", "storage": "hybrid"},
    {"name": "redis", "storage": "redis"},
    {"name": "sql", "storage": "sql"},
]


def test_a_world_in_which_nothing_happens_is_exact(world: World, seed: int) -> None:
    boards = world.call(chores.make_boards, settings=BOARDS)
    worker = world.spawn(writers.work)
    reader = world.spawn(writers.read, history=world.new_history(), boards=[boards["hybrid"], boards["sql"]])

    world.spawn(writers.write, history=world.new_history(), boards=[*boards.values()], seed=seed, calls=40).result()
    worker.stop()
    reads = reader.stop()

    history = check(world)
    assert not history.failed_reads
    assert check_reads(history, [boards["hybrid"], boards["sql"]]) == reads > 0
    assert len(history.operations) > 50


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_the_verdict_sees_a_score_that_was_lost_or_invented(world: World, seed: int, storage: str) -> None:
    boards = world.call(chores.make_boards, settings=[each for each in BOARDS if each["name"] == storage])
    world.spawn(writers.write, history=world.new_history(), boards=[*boards.values()], seed=seed, calls=5).result()
    check(world)

    with world.sql.connect() as connection:
        connection.execute("UPDATE leaderboards_standing SET points = points + 1 WHERE points > 0")

    with pytest.raises(AssertionError, match=r"at most|not the sum"):
        check(world)
