"""PostgreSQL is down: what Redis can answer is answered, and what nobody knows is refused."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.faults import load
from tests.faults.check import check
from tests.faults.history import Call, Fate, calls
from tests.faults.world import World, wait_until

DOWN_SECONDS = 2.0
LONGEST_CALL = 3.0  # time-outs are half a second; the rest is a slow machine's
SIGNED_IN = "is-known"  # a class of the header's own part, which is made for each viewer


@pytest.mark.parametrize(
    ("user", "partitions"),
    [("", 1), ("somebody", 1), ("", 4)],
    ids=["a stranger", "somebody signed in", "a stranger, of divided boards"],
)
def test_live_boards_are_read_while_postgresql_is_down(world: World, seed: int, user: str, partitions: int) -> None:
    names = ["hybrid", "redis"] if partitions > 1 else ["hybrid", "shared", "redis"]
    numbers = [*world.make_boards(*names, partitions=partitions).values()]
    world.write(numbers, seed, calls=80, players=5).result()
    every = [f"/boards/{each}/{what}" for each in numbers for what in ("", "?fragment=1&player=p1")]
    every += [f"/api/v1{each}{what}" for each in every[::2] for what in ("standings?limit=100", "players/p1/around")]
    notes = Path(world.new_history())

    def answered(since: float = 0.0) -> list[Call]:
        return [call for call in calls(notes) if call.began > since and call.said]

    visitor = world.spawn(load.visit, history=str(notes), paths=every, user=user)
    wait_until(lambda: len(answered()) >= len(every), "a look at everything")
    world.sql.kill()
    down = time.monotonic()
    time.sleep(DOWN_SECONDS)
    wait_until(lambda: {call.asked["path"] for call in answered(down + 1)} >= {*every}, "another look at everything")
    visitor.stop()

    seen, after = answered(), answered(down)
    before = seen[: len(every)]
    assert {each.said["status"] for each in seen} == {200}
    assert max(each.ended - each.began for each in after) < LONGEST_CALL
    assert rows_seen(after) == rows_seen(before)
    assert not any("not live" in each.said["body"] for each in after)
    assert all((SIGNED_IN in each.said["body"]) == bool(user) for each in before if each.asked["path"].endswith("/"))
    assert not any(SIGNED_IN in each.said["body"] for each in after)


def rows_seen(seen: Sequence[Call]) -> set[tuple[str, str]]:
    """The live tables that the API showed, by path."""
    answers = [(each.asked["path"], json.loads(each.said["body"])) for each in seen if "/api/" in each.asked["path"]]
    assert all(answer["live"] and answer["rows"] for _, answer in answers)
    return {(path, json.dumps(answer["rows"])) for path, answer in answers}


def test_a_divided_redis_board_is_written_while_postgresql_is_down(world: World, seed: int) -> None:
    number = world.make_boards("redis", partitions=4)["redis"]

    with world.worker(), world.writers([number], seed, again=0.0):
        world.wait_until_taken(number)
        world.sql.kill()
        down = time.monotonic()
        time.sleep(DOWN_SECONDS)
        back = time.monotonic()
        world.sql.start()
        world.wait_until_taken(number)

    meanwhile = [each for each in check(world).attempts(number) if down + 0.5 < each.began and each.ended < back]
    assert len(meanwhile) > 20
    refused = [each.code for each in meanwhile if each.status not in ("updated", "unchanged")]
    assert len(refused) <= len(meanwhile) / 20, refused  # a busy machine's Redis answers too late at times
    assert {*refused} <= {"unavailable"}


def test_a_period_that_nobody_heard_of_before_sql_went_is_refused_until_it_is_back(world: World, seed: int) -> None:
    number = world.make_boards("redis")["redis"]
    shift, ends = world.near_the_end(number, 3.0)

    with world.worker(shift=shift), world.writers([number], seed, shift=shift, again=0.0):
        time.sleep(max(0.0, ends - 1.0 - time.monotonic()))
        world.sql.kill()
        time.sleep(max(0.0, ends + 2.0 - time.monotonic()))
        back = time.monotonic()
        world.sql.start()
        world.wait_until_taken(number)

    history = check(world, shift=shift)
    attempts = history.attempts(number)
    meanwhile = [each for each in attempts if ends + 0.2 < each.began and each.ended < back]
    assert len(meanwhile) > 20
    assert {(each.status, each.code) for each in meanwhile} == {("rejected", "unavailable")}
    assert any(each.period for each in attempts if ends - 0.8 < each.began and each.ended < ends - 0.1)
    assert len({each.period for each in attempts if each.period}) == 2
    assert history.fates(number) <= {Fate.OK, Fate.FAILED}
