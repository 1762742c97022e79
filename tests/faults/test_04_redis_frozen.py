"""A Redis that does not answer for seven seconds, and one whose commands come late."""

import signal
import time

import pytest

from tests.faults import boards
from tests.faults.check import check, check_reads
from tests.faults.history import Fate
from tests.faults.proxy import Proxy
from tests.faults.world import ALWAYS_EXACT, World, wait_until

FROZEN_SECONDS, CALM_SECONDS = 7.0, 3.0
LONGEST_CALL = 3.0  # time-outs are half a second; the rest is a slow machine's


def test_seven_seconds_without_an_answer_count_nothing_twice_and_hold_nobody_up(world: World, seed: int) -> None:
    numbers = world.make_boards()
    exact = [numbers[name] for name in ALWAYS_EXACT]

    with world.worker(), world.reader(exact), world.writers(numbers.values(), seed, again=0.5):
        world.wait_until_taken(*numbers.values())
        calm_from = time.monotonic()
        time.sleep(CALM_SECONDS)
        world.redis.freeze()
        frozen_at = time.monotonic()
        time.sleep(FROZEN_SECONDS)
        world.redis.thaw()
        thawed_at = time.monotonic()
        world.wait_until_live()
        world.wait_until_taken(*numbers.values())

    history = check(world)
    assert history.fates(*exact) == {Fate.OK}
    assert check_reads(history, exact) > 20
    assert history.longest_call < LONGEST_CALL
    calm = history.accepted_between(calm_from, frozen_at, *exact) / (frozen_at - calm_from)
    meanwhile = history.accepted_between(frozen_at + 1.0, thawed_at, *exact) / (thawed_at - frozen_at - 1.0)
    assert meanwhile > 0.1 * calm > 0  # writers of redis boards too: each waits for a time-out now and then
    assert history.accepted_between(frozen_at + 1.0, thawed_at, numbers["redis"]) == 0


def test_what_timed_out_does_not_act_when_redis_wakes(world: World, seed: int) -> None:
    numbers = world.make_boards("hybrid", "redis")
    # A writer each: after its first time-out a process asks Redis no more for a while.
    writers = [world.write([number], seed, pause=0.2) for number in numbers.values()]
    wait_until(lambda: all(len(world.history().on(each)) > 20 for each in numbers.values()), "some writes")
    for writer in writers:
        writer.send(signal.SIGSTOP)
    before = world.call(boards.redis_points)
    world.redis.freeze()
    for writer in writers:
        writer.send(signal.SIGCONT)
    wait_until(lambda: world.history().timed_out(numbers["redis"]), "a call that timed out")
    wait_until(world.is_stale, "a put that timed out")
    for writer in writers:
        writer.kill()

    world.redis.thaw()
    time.sleep(0.5)

    assert world.call(boards.came_uncommitted, before=before) == []
    check(world)


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_command_that_arrives_after_its_deadline_does_not_act(world: World, seed: int, storage: str) -> None:
    proxy = Proxy(world.redis.made.socket)
    number = world.make_boards(storage)[storage]

    def went_wrong() -> bool:
        """Whether somebody has noticed: a redis board has no answer, a hybrid one is stale."""
        return world.is_stale() if storage == "hybrid" else world.history().fates(number) != {Fate.OK}

    with world.writers([number], seed, many=1, redis_url=proxy.url, pause=0.1):
        wait_until(lambda: len(world.history().operations) > 10, "some writes")
        proxy.delay = 1.0
        wait_until(went_wrong, "a call that came too late")
        before = world.call(boards.redis_points)
        time.sleep(1.5)
        after = world.call(boards.redis_points)
        proxy.delay = 0.0

    proxy.close()
    if storage == "hybrid":
        assert world.call(boards.came_uncommitted, before=before) == []
    else:
        assert after == before
    assert check(world).longest_call < LONGEST_CALL
