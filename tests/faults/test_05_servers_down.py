"""Redis down for a while, PostgreSQL killed, both at once, and Redis down through the end of a period."""

import random
import time

from tests.faults import chores, writers
from tests.faults.conftest import LONG
from tests.faults.history import Fate, History
from tests.faults.loads import ALWAYS_EXACT, at_work, is_live, load, make_boards, readers, wait_until
from tests.faults.verdict import check, check_reads
from tests.faults.world import World

DOWN_SECONDS = 60.0 if LONG else 3.0
TIMES = 20 if LONG else 4


def _accepted_between(history: History, boards: list[int], start: float, end: float) -> int:
    return sum(start < each.known_since < end for number in boards for each in history.on(number))


def _taken_since(world: World, board: int, moment: float) -> int:
    return _accepted_between(History.of(world.histories), [board], moment, time.monotonic())


def test_while_redis_is_down_sql_goes_on_and_what_redis_decides_is_refused(world: World, seed: int) -> None:
    boards = make_boards(world)
    exact = [boards[name] for name in ALWAYS_EXACT]

    with at_work(world), readers(world, exact), load(world, [*boards.values()], seed):
        time.sleep(1.0)
        world.redis.kill()
        down, up = time.monotonic(), time.monotonic() + DOWN_SECONDS
        time.sleep(DOWN_SECONDS)
        world.redis.start()
        wait_until(lambda: is_live(world), "settled after Redis came back")
        wait_until(lambda: _taken_since(world, boards["redis"], up) > 0, "a score on the board that refused")

    history = check(world)
    assert {each.fate for number in exact for each in history.on(number)} == {Fate.OK}
    assert not history.failed_reads
    assert check_reads(history, exact) > 20
    assert _accepted_between(history, exact, down + 0.5, up) > 20
    assert _accepted_between(history, [boards["redis"]], down + 0.5, up) == 0


def test_postgresql_killed_in_mid_load_keeps_what_it_acknowledged(world: World, seed: int, dice: random.Random) -> None:
    boards = make_boards(world)

    with at_work(world), load(world, [*boards.values()], seed):
        for _ in range(TIMES):
            time.sleep(dice.uniform(0.3, 1.0))
            world.sql.kill()
            time.sleep(dice.uniform(0.0, 1.0))
            world.sql.start()
        time.sleep(1.5)

    check(world)


def test_what_redis_decides_is_accepted_while_postgresql_is_down(world: World, seed: int) -> None:
    boards = make_boards(world, "redis")
    with at_work(world), load(world, [*boards.values()], seed):
        wait_until(lambda: len(History.of(world.histories).operations) > 50, "some writes")
        world.sql.kill()
        down, up = time.monotonic(), time.monotonic() + DOWN_SECONDS
        time.sleep(DOWN_SECONDS)
        world.sql.start()

    history = check(world)
    assert _accepted_between(history, [*boards.values()], down + 0.5, up) > 20


def test_both_servers_killed_at_once_lose_nothing(world: World, seed: int, dice: random.Random) -> None:
    boards = make_boards(world)

    with at_work(world), load(world, [*boards.values()], seed):
        for _ in range(TIMES):
            time.sleep(dice.uniform(0.3, 1.0))
            for server in dice.sample([world.redis, world.sql], 2):
                server.kill()
            time.sleep(dice.uniform(0.0, 0.5))
            for server in dice.sample([world.redis, world.sql], 2):
                server.start()
            wait_until(lambda: is_live(world), "settled after both came back")
        time.sleep(1.0)

    check(world)


def test_redis_down_through_the_end_of_a_period_loses_nothing_of_either(world: World, seed: int) -> None:
    boards = make_boards(world)
    every = [*boards.values()]
    shift = world.call(chores.day_ends_in, seq=boards["hybrid"]) - 4.0
    ends = time.monotonic() + 4.0

    with at_work(world, shift=shift), load(world, every, seed, shift=shift):
        time.sleep(max(0.0, ends - 1.0 - time.monotonic()))
        world.redis.kill()
        time.sleep(max(0.0, ends + 1.5 - time.monotonic()))
        world.redis.start()
        wait_until(lambda: is_live(world), "settled after Redis came back")
        time.sleep(1.0)

    history = check(world, shift=shift)
    _each_is_in_one_period(history)
    closed = world.call(chores.close_until_final, shift=shift + 70.0)
    assert {board for board, *_ in closed} == {*every}
    assert closed == world.call(chores.close_until_final, shift=shift + 70.0)
    check(world, shift=shift + 70.0, exact=False)


def _each_is_in_one_period(history: History) -> None:
    labels = set()
    for each in history.operations.values():
        periods = {attempt.period for attempt in each.attempts if attempt.period}
        assert len(periods) <= 1, f"{each.id} was counted in {periods}"
        labels |= periods
    assert len(labels) == 2, "both sides of the boundary were written to"


def test_a_worker_that_was_away_for_days_closes_oldest_first(world: World, seed: int) -> None:
    boards = make_boards(world)
    every = [*boards.values()]
    for day in range(3):
        world.call(
            writers.write, history=world.new_history(), boards=every, seed=seed + day, calls=5, shift=86400.0 * day
        )

    world.redis.kill()
    world.redis.start()
    shift = 86400.0 * 4
    closed = world.call(chores.close_until_final, shift=shift)

    assert len(closed) >= 3 * len(every)
    assert closed == world.call(chores.close_until_final, shift=shift)
    check(world, shift=shift)
