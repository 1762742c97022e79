"""`kill -9` of Redis, of PostgreSQL and of both in mid-load, again and again; and one of them down for a while."""

import random
import time
from collections import Counter

import pytest

from tests.faults.check import check, check_reads, close_for_good
from tests.faults.conftest import LONG, MakeWorld
from tests.faults.history import Fate
from tests.faults.world import ALWAYS_EXACT, World

TIMES = 60 if LONG else 10
TIMES_OF_SQL = 20 if LONG else 3
DOWN_SECONDS = 60.0 if LONG else 2.5


def kill_redis_again_and_again(world: World, dice: random.Random) -> list[float]:
    """Kill and restart under load, half of the time before everything is settled; when the kills were."""
    killed = []
    for _ in range(TIMES):
        if dice.random() < 0.5:
            world.wait_until_live()
        time.sleep(dice.uniform(0.0, 0.4))
        killed.append(time.monotonic())
        world.redis.restart(pause=dice.uniform(0.0, 0.2))
    world.wait_until_live()
    return killed


def test_nothing_is_lost_or_counted_twice_when_redis_is_killed_and_writes_everything_down(
    world: World, seed: int, dice: random.Random
) -> None:
    numbers = world.make_boards()

    with world.worker(), world.writers(numbers.values(), seed):
        kill_redis_again_and_again(world, dice)
        world.wait_until_taken(*numbers.values())

    history = check(world)
    assert history.fates(*(numbers[name] for name in ALWAYS_EXACT)) == {Fate.OK}
    assert "rejected" in {attempt.status for attempt in history.attempts(numbers["redis"])}


def test_redis_that_writes_down_every_second_loses_at_most_two_seconds(
    make_world: MakeWorld, seed: int, dice: random.Random
) -> None:
    world = make_world(fsync="everysec")
    numbers = world.make_boards("hybrid", "redis")
    with world.worker(only=["mirror", "settle"]), world.writers(numbers.values(), seed, again=0.0):
        killed = kill_redis_again_and_again(world, dice)

    world.lossy.add(numbers["redis"])
    history = check(world)

    least: Counter[str] = Counter()
    for each in history.on(numbers["redis"]):
        least[each.player] += each.points * (each.fate is Fate.OK)
    final = world.mirrored(numbers["redis"])
    lost = sum(max(0, points - final.get(player, 0)) for player, points in least.items())
    at_risk = sum(
        each.points
        for each in history.on(numbers["redis"])
        if any(moment - 2.0 <= each.known_since <= moment for moment in killed)
    )
    print(f"lost {lost} points of {at_risk} that were acknowledged within 2 s before {len(killed)} kills")
    assert 0 <= lost <= at_risk


def test_while_redis_is_down_sql_goes_on_and_what_redis_decides_is_refused(world: World, seed: int) -> None:
    numbers = world.make_boards()
    exact = [numbers[name] for name in ALWAYS_EXACT]

    with world.worker(), world.reader(exact), world.writers(numbers.values(), seed):
        world.wait_until_taken(*numbers.values())
        world.redis.kill()
        down, up = time.monotonic(), time.monotonic() + DOWN_SECONDS
        time.sleep(DOWN_SECONDS)
        world.redis.start()
        world.wait_until_live()
        world.wait_until_taken(numbers["redis"])

    history = check(world)
    assert history.fates(*exact) == {Fate.OK}
    assert not history.failed_reads
    assert check_reads(history, exact) > 20
    assert history.accepted_between(down + 0.5, up, *exact) > 20
    assert history.accepted_between(down + 0.5, up, numbers["redis"]) == 0


def test_what_redis_decides_is_accepted_while_postgresql_is_down(world: World, seed: int) -> None:
    number = world.make_boards("redis")["redis"]
    with world.worker(), world.writers([number], seed):
        world.wait_until_taken(number)
        world.sql.kill()
        down, up = time.monotonic(), time.monotonic() + DOWN_SECONDS
        time.sleep(DOWN_SECONDS)
        world.sql.start()

    assert check(world).accepted_between(down + 0.5, up, number) > 20


@pytest.mark.parametrize("names", [["sql"], ["redis", "sql"]], ids=["postgresql", "both"])
def test_servers_killed_in_mid_load_keep_what_was_acknowledged(
    world: World, seed: int, dice: random.Random, names: list[str]
) -> None:
    numbers = world.make_boards()
    servers = [getattr(world, name) for name in names]

    with world.worker(), world.writers(numbers.values(), seed):
        for _ in range(TIMES_OF_SQL):
            time.sleep(dice.uniform(0.3, 1.0))
            for server in dice.sample(servers, len(servers)):
                server.kill()
            time.sleep(dice.uniform(0.0, 1.0))
            for server in dice.sample(servers, len(servers)):
                server.start()
            world.wait_until_live()
        world.wait_until_taken(*numbers.values())

    check(world)


def test_redis_down_through_the_end_of_a_period_loses_nothing_of_either(world: World, seed: int) -> None:
    numbers = world.make_boards()
    shift, ends = world.near_the_end(numbers["hybrid"], 3.0)

    with world.worker(shift=shift), world.writers(numbers.values(), seed, shift=shift):
        time.sleep(max(0.0, ends - 1.0 - time.monotonic()))
        world.redis.kill()
        time.sleep(max(0.0, ends + 1.0 - time.monotonic()))
        world.redis.start()
        world.wait_until_live()
        world.wait_until_taken(*numbers.values())

    operations = check(world, shift=shift).operations.values()
    assert all(len(each.periods) <= 1 for each in operations)
    assert len({period for each in operations for period in each.periods}) == 2, "both sides"
    closed = close_for_good(world, shift + 70.0)
    assert {number for number, *_ in closed} == {*numbers.values()}
