"""Every task delivered twice and at once, and some lost; and sixteen who write through the end of a period."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.faults import boards, load
from tests.faults.check import check, check_finals
from tests.faults.conftest import LONG
from tests.faults.history import Fate
from tests.faults.world import World

SECONDS = 20.0 if LONG else 3.0
DAY = 86_400.0
BEFORE, GRACE, AFTER = 3.0, 2, 3.5


@contextmanager
def two_beats(world: World, seed: int, shift: float = 0.0) -> Iterator[None]:
    """Until the block ends; no task of theirs may have ended with an error."""
    beats = [world.spawn(load.beat, seed=seed + nth, lose=0.3, shift=shift) for nth in range(2)]
    yield
    assert [each.stop() for each in beats] == [[], []]


def test_two_beats_that_send_all_twice_and_lose_some_close_each_period_once(world: World, seed: int) -> None:
    numbers = world.make_boards()
    with world.writers(numbers.values(), seed), two_beats(world, seed):
        time.sleep(SECONDS)
        world.redis.restart(pause=0.5)
        time.sleep(SECONDS)
    check(world)
    with world.writers(numbers.values(), seed, calls=60), two_beats(world, seed, shift=DAY):
        time.sleep(SECONDS)
    first = world.call(boards.close_until_final, boards=world.boards, shift=DAY)

    assert len(first) == len(numbers)
    assert world.call(boards.close_again, boards=world.boards, shift=DAY) == first
    check(world, shift=DAY)
    check_finals(world)


def test_each_entry_is_in_exactly_one_period_and_final_ranks_stay(world: World, seed: int) -> None:
    every = [*world.make_boards(grace_seconds=GRACE).values()]
    shift, ends = world.near_the_end(every[0], BEFORE)
    how = {"shift": shift, "ends_at": time.time() + shift + BEFORE, "lose": 0.25, "again": 0.0, "size": 2}

    with world.worker(shift=shift, pause=0.05), world.writers(every, seed, 16, pause=0.025, **how):
        time.sleep(max(0.0, ends + AFTER - time.monotonic()))
    first = world.call(boards.close_until_final, boards=world.boards, shift=shift + AFTER)
    second = world.call(boards.close_again, boards=world.boards, shift=shift + AFTER)

    assert len(first) == len(every)
    assert first == second
    codes = {attempt.code for attempt in world.history().attempts(*every) if attempt.code}
    assert "period_closed" in codes
    assert codes <= {"period_closed", "unavailable"}  # a slow machine's Redis may seem away for a moment
    operations = check(world, shift=shift + AFTER).operations.values()
    assert len({period for each in operations for period in each.periods}) == 2
    assert sum(len(each.attempts) > 1 and each.fate is Fate.OK for each in operations) > 20
    assert all(len(each.periods) <= 1 for each in operations)
    check_finals(world)
