"""Sixteen threads write through the last two seconds of a period and its grace, and lose answers on the way."""

from tests.faults import chores, deeds, writers
from tests.faults.history import Fate, History
from tests.faults.loads import BOARDS
from tests.faults.verdict import check
from tests.faults.world import World

THREADS = 16
BEFORE = 2.0
GRACE = 2
AFTER = 4.0


def test_each_entry_is_in_exactly_one_period_and_final_ranks_stay(world: World, seed: int) -> None:
    boards = world.call(chores.make_boards, settings=[{**each, "grace_seconds": GRACE} for each in BOARDS])
    every = [*boards.values()]
    ends_in = world.call(chores.day_ends_in, seq=every[0])
    shift = ends_in - BEFORE - 0.5
    histories = [world.new_history() for _ in range(THREADS)]
    worker = world.spawn(writers.work, shift=shift, pause=0.05)

    world.call(deeds.cross, histories=histories, boards=every, seed=seed, shift=shift, after=AFTER)
    worker.stop()
    first = world.call(chores.close_until_final, shift=shift + AFTER)
    second = world.call(deeds.close_again, shift=shift + AFTER)

    assert len(first) == len(every)
    assert first == second
    told = [attempt for each in History.of(world.histories).operations.values() for attempt in each.attempts]
    codes = {attempt.code for attempt in told if attempt.code}
    assert "period_closed" in codes
    assert codes <= {"period_closed", "unavailable"}  # a slow machine's Redis may seem away for a moment
    history = check(world, shift=shift + AFTER)
    both = {period for each in history.operations.values() for attempt in each.attempts if (period := attempt.period)}
    assert len(both) == 2
    sent_again = [each for each in history.operations.values() if len(each.attempts) > 1 and each.fate is Fate.OK]
    assert len(sent_again) > 20
    for each in history.operations.values():
        assert len({attempt.period for attempt in each.attempts if attempt.period}) <= 1, each
    _final_is_what_stood(world)


def _final_is_what_stood(world: World) -> None:
    finals = [shown for shown in world.call(chores.show) if shown["state"] == "final"]
    for shown in finals:
        assert sorted(player for _, player, _ in shown["final"]) == sorted(shown["points"])
        placed = [shown["points"][player] for _, player, _ in shown["final"]]
        assert placed == sorted(placed, reverse=True)
