"""A Redis that does not answer for seven seconds, and one whose commands come late."""

import time

import pytest

from tests.faults import chores
from tests.faults.history import Fate, History
from tests.faults.loads import ALWAYS_EXACT, at_work, is_live, load, make_boards, readers, wait_until
from tests.faults.proxy import Proxy
from tests.faults.verdict import check, check_reads
from tests.faults.world import World

FROZEN_SECONDS = 7.0
LONGEST_CALL = 3.0  # time-outs are half a second; the rest is a slow machine's


def test_seven_seconds_without_an_answer_count_nothing_twice_and_hold_nobody_up(world: World, seed: int) -> None:
    boards = make_boards(world)
    exact = [boards[name] for name in ALWAYS_EXACT]

    with at_work(world), readers(world, exact), load(world, [*boards.values()], seed, again=0.5):
        time.sleep(1.0)
        world.redis.freeze()
        frozen_at = time.monotonic()
        time.sleep(FROZEN_SECONDS)
        world.redis.thaw()
        thawed_at = time.monotonic()
        wait_until(lambda: is_live(world), "settled after the thaw")
        time.sleep(0.5)

    history = check(world)
    assert {each.fate for number in exact for each in history.on(number)} == {Fate.OK}
    assert check_reads(history, exact) > 20
    assert max(history.calls) < LONGEST_CALL
    assert _accepted_between(history, exact, frozen_at + 1.0, thawed_at) > 50
    assert _accepted_between(history, [boards["redis"]], frozen_at + 1.0, thawed_at) == 0


def _accepted_between(history: History, boards: list[int], start: float, end: float) -> int:
    return sum(start < each.known_since < end for number in boards for each in history.on(number))


def test_what_timed_out_does_not_act_when_redis_wakes(world: World, seed: int) -> None:
    boards = make_boards(world, "hybrid", "redis")
    # A writer each: after its first time-out a process asks Redis no more for a while.
    hybrid = load(world, [boards["hybrid"]], seed, count=1, pause=0.2)
    with hybrid as [one], load(world, [boards["redis"]], seed + 1, count=1, pause=0.2) as [other]:
        wait_until(lambda: _written(world, boards["hybrid"]) and _written(world, boards["redis"]), "some writes")
        for writer in (one, other):
            writer.freeze()
        before = world.call(chores.redis_points)
        world.redis.freeze()
        for writer in (one, other):
            writer.thaw()
        wait_until(lambda: _unanswered_by_redis(world, boards["redis"]) > 0, "a call that timed out")
        wait_until(lambda: _is_stale(world), "a put that timed out")
        for writer in (one, other):
            writer.kill()

        world.redis.thaw()
        time.sleep(0.5)

        assert world.call(chores.redis_points) == before

    check(world)


def _written(world: World, board: int) -> bool:
    return len(History.of(world.histories).on(board)) > 20


def _is_stale(world: World) -> bool:
    with world.sql.connect() as connection:
        found = connection.execute("SELECT 1 FROM leaderboards_period WHERE stale_since IS NOT NULL").fetchone()
    return found is not None


def _unanswered_by_redis(world: World, board: int) -> int:
    history = History.of(world.histories)
    return sum(attempt.status == "unknown" for each in history.on(board) for attempt in each.attempts)


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_command_that_arrives_after_its_deadline_does_not_act(world: World, seed: int, storage: str) -> None:
    proxy = Proxy(world.redis.made.socket)
    boards = make_boards(world, storage)
    with load(world, [*boards.values()], seed, count=1, redis_url=proxy.url, pause=0.1):
        wait_until(lambda: len(History.of(world.histories).operations) > 10, "some writes")
        proxy.delay = 1.0
        wait_until(lambda: _went_wrong(world, storage), "a call that came too late")
        before = world.call(chores.redis_points)
        time.sleep(1.5)
        after = world.call(chores.redis_points)
        proxy.delay = 0.0

    proxy.close()
    assert after == before
    history = check(world)
    assert max(history.calls) < LONGEST_CALL


def _went_wrong(world: World, storage: str) -> bool:
    """Whether somebody has noticed: a redis board has no answer, a hybrid one is stale."""
    if storage == "hybrid":
        return not is_live(world)
    return any(each.fate is not Fate.OK for each in History.of(world.histories).operations.values())


def test_a_network_that_swallows_everything_is_a_redis_that_is_away(world: World, seed: int) -> None:
    proxy = Proxy(world.redis.made.socket)
    boards = make_boards(world)
    exact = [boards[name] for name in ALWAYS_EXACT]
    with at_work(world), load(world, [*boards.values()], seed, redis_url=proxy.url):
        for _ in range(3):
            time.sleep(0.7)
            proxy.deaf = True
            time.sleep(1.5)
            proxy.deaf = False
        time.sleep(1.5)

    proxy.close()
    history = check(world)
    assert {each.fate for number in exact for each in history.on(number)} == {Fate.OK}
    assert max(history.calls) < LONGEST_CALL
