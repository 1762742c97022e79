"""A Redis that does not answer for seven seconds, and one whose commands come late."""

import time

import pytest

from tests.faults import boards
from tests.faults.check import check, check_reads
from tests.faults.history import Fate
from tests.faults.proxy import Proxy
from tests.faults.world import ALWAYS_EXACT, World, wait_until

FROZEN_SECONDS = 7.0
LONGEST_CALL = 3.0  # time-outs are half a second; the rest is a slow machine's


def test_seven_seconds_without_an_answer_count_nothing_twice_and_hold_nobody_up(world: World, seed: int) -> None:
    numbers = world.make_boards()
    exact = [numbers[name] for name in ALWAYS_EXACT]

    with world.worker(), world.reader(exact), world.writers(numbers.values(), seed, again=0.5):
        world.wait_until_taken(*numbers.values())
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
    assert history.accepted_between(frozen_at + 1.0, thawed_at, *exact) > 50
    assert history.accepted_between(frozen_at + 1.0, thawed_at, numbers["redis"]) == 0


def test_what_timed_out_does_not_act_when_redis_wakes(world: World, seed: int) -> None:
    numbers = world.make_boards("hybrid", "redis")
    # A writer each: after its first time-out a process asks Redis no more for a while.
    hybrid = world.writers([numbers["hybrid"]], seed, many=1, pause=0.2)
    with hybrid as [one], world.writers([numbers["redis"]], seed + 1, many=1, pause=0.2) as [other]:
        wait_until(lambda: all(len(world.history().on(each)) > 20 for each in numbers.values()), "some writes")
        for writer in (one, other):
            writer.freeze()
        before = world.call(boards.redis_points)
        world.redis.freeze()
        for writer in (one, other):
            writer.thaw()
        wait_until(lambda: timed_out(world, numbers["redis"]), "a call that timed out")
        wait_until(lambda: is_stale(world), "a put that timed out")
        for writer in (one, other):
            writer.kill()

        world.redis.thaw()
        time.sleep(0.5)

        assert world.call(boards.redis_points) == before

    check(world)


def is_stale(world: World) -> bool:
    with world.sql.connect() as connection:
        found = connection.execute("SELECT 1 FROM leaderboards_period WHERE stale_since IS NOT NULL").fetchone()
    return found is not None


def timed_out(world: World, number: int) -> bool:
    return "unknown" in {attempt.status for attempt in world.history().attempts(number)}


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_command_that_arrives_after_its_deadline_does_not_act(world: World, seed: int, storage: str) -> None:
    proxy = Proxy(world.redis.made.socket)
    number = world.make_boards(storage)[storage]

    def went_wrong() -> bool:
        """Whether somebody has noticed: a redis board has no answer, a hybrid one is stale."""
        return not world.is_live() if storage == "hybrid" else world.history().fates(number) != {Fate.OK}

    with world.writers([number], seed, many=1, redis_url=proxy.url, pause=0.1):
        wait_until(lambda: len(world.history().operations) > 10, "some writes")
        proxy.delay = 1.0
        wait_until(went_wrong, "a call that came too late")
        before = world.call(boards.redis_points)
        time.sleep(1.5)
        after = world.call(boards.redis_points)
        proxy.delay = 0.0

    proxy.close()
    assert after == before
    assert check(world).longest_call < LONGEST_CALL


def test_a_network_that_swallows_everything_is_a_redis_that_is_away(world: World, seed: int) -> None:
    proxy = Proxy(world.redis.made.socket)
    numbers = world.make_boards()
    with world.worker(), world.writers(numbers.values(), seed, redis_url=proxy.url):
        for _ in range(3):
            time.sleep(0.7)
            proxy.deaf = True
            time.sleep(1.5)
            proxy.deaf = False
        world.wait_until_taken(*numbers.values())

    proxy.close()
    history = check(world)
    assert history.fates(*(numbers[name] for name in ALWAYS_EXACT)) == {Fate.OK}
    assert history.longest_call < LONGEST_CALL
