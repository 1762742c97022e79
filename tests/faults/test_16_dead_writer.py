"""A writer dies after its put and before its commit: by the clock on the wall, how long Redis shows what never was."""

import time

from tests.faults import chores, writers
from tests.faults.loads import at_work, make_boards, wait_until
from tests.faults.verdict import check
from tests.faults.world import World

PROMISED_SECONDS = 30.0


def test_what_a_dead_writer_left_in_redis_is_gone_after_thirty_seconds(world: World, seed: int) -> None:
    board = make_boards(world, "hybrid")["hybrid"]
    with at_work(world):
        writer = world.spawn(
            writers.write, fail_at="submit.before_commit:1", history=world.new_history(), boards=[board], seed=seed
        )
        writer.wait()
        died = time.monotonic()
        assert differs(world)

        wait_until(lambda: not differs(world), "what the dead writer put is taken back")
        took = time.monotonic() - died

    print(f"gone after {took:.1f} s")  # noqa: T201 (the measurement)
    assert took < PROMISED_SECONDS
    check(world)


def differs(world: World) -> bool:
    return any(shown["differences"] for shown in world.call(chores.show))
