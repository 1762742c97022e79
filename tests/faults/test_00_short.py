"""A short fault of each kind, as `make test` runs them; and that the check sees what is wrong."""

import time
from collections.abc import Callable

import pytest

from tests.faults.check import check, check_reads
from tests.faults.history import Fate
from tests.faults.processes import KILLED_HERE
from tests.faults.world import ALWAYS_EXACT, World, wait_until

Boards = dict[str, int]


def redis_is_killed(world: World, boards: Boards) -> None:
    world.redis.restart(pause=0.2)


def sql_is_killed(world: World, boards: Boards) -> None:
    world.sql.restart(pause=0.2)


def a_process_is_killed_in_the_middle_of_a_submission(world: World, boards: Boards) -> None:
    steps = {"hybrid": "submit.before_commit:2", "redis": "submit.after_script:2"}
    writers = [world.write([boards[name]], 0, fail_at=step) for name, step in steps.items()]
    assert [writer.wait() for writer in writers] == [KILLED_HERE] * 2


def redis_is_frozen(world: World, boards: Boards) -> None:
    world.redis.freeze()
    wait_until(lambda: world.history().timed_out(boards["redis"]), "a call that timed out")
    world.redis.thaw()


def redis_loses_its_memory(world: World, boards: Boards) -> None:
    world.lossy.add(boards["redis"])
    wait_until(lambda: bool(world.mirrored(boards["redis"])), "something that SQL knows of the redis board")
    world.redis.lose_memory()


FAULTS = [
    redis_is_killed, sql_is_killed, a_process_is_killed_in_the_middle_of_a_submission, redis_is_frozen,
    redis_loses_its_memory,
]  # fmt: skip  # as a table


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__.replace("_", " "))
def test_a_fault_in_mid_load_loses_nothing_and_counts_nothing_twice(
    world: World, seed: int, fault: Callable[[World, Boards], None]
) -> None:
    boards = world.make_boards()
    exact = [boards[name] for name in ALWAYS_EXACT]

    def go_on() -> None:
        since = time.monotonic()
        world.wait_until_taken(*boards.values())
        wait_until(lambda: {read.board for read in world.history().reads if read.began > since} == {*exact}, "a look")

    # Ids go with the memory of a redis board, so nothing is sent to it twice.
    with (
        world.worker(),
        world.reader(exact),
        world.writers(exact, seed, pause=0.03),
        world.writers([boards["redis"]], seed + 10, many=1, again=0.0, pause=0.03, lately=0.2),
    ):
        go_on()
        fault(world, boards)
        world.wait_until_live()
        go_on()

    history = check(world)
    # While SQL is away boards that it decides over refuse, or say that nobody knows; that is settled by asking again.
    assert history.fates(*exact) - {Fate.FAILED if fault is sql_is_killed else None} == {Fate.OK}
    assert check_reads(history, exact) > len(exact)


def test_the_check_sees_a_score_that_was_lost_or_invented(world: World, seed: int) -> None:
    number = world.make_boards("hybrid")["hybrid"]
    world.write([number], seed, calls=5).result()
    check(world)

    for step, said in ((1, "at most"), (-1, "at least")):
        give(world, step)
        with pytest.raises(AssertionError, match=said):
            check(world)
        give(world, -step)
    give(world, 0)
    check(world)


def give(world: World, points: int) -> None:
    """Everybody, behind the back of the product."""
    with world.sql.connect() as connection:
        connection.execute("UPDATE leaderboards_standing SET points = points + %s", [points])
