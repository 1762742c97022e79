"""Hybrid likes while Redis is killed and restarted, and while writers and the batch die at any step: exact."""

import random
import re
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.faults import likers
from tests.faults.children import ROOT
from tests.faults.conftest import LONG, MakeWorld
from tests.faults.history import lines
from tests.faults.world import World

TIMES = 20 if LONG else 5
FROZEN_SECONDS = 7.0
KILLED_HERE = 137
WRITERS = 3
THINGS = ["1", "2", "3"]
SOURCES = ("likes/stores/hybrid.py", "likes/services/count.py")
STEPS = {
    step: source for source in SOURCES for step in re.findall(r'failpoint\("([a-z_.]+)"\)', (ROOT / source).read_text())
}


def names(writer: int) -> list[str]:
    """Players of one writer alone, so that the last that he heard is how it must be."""
    return [f"w{writer}-{nth}" for nth in range(12)]


def agree(world: World, things: list[str], wanted: dict[str, set[str]] | None = None) -> None:
    """Rows, count, view and list are the same, and as wanted."""
    world.call(likers.bring_to_rest)
    for thing, found in world.call(likers.look, things=things).items():
        many = len(found["rows"])
        assert (found["count"], found["shown"], found["likers"]) == (many, many, found["rows"]), thing
        assert found["view"] in (None, [many, many]), thing
        if wanted is not None:
            assert set(found["rows"]) == wanted[thing], thing
    assert world.call(likers.differences) == 0


def told(histories: list[str]) -> dict[str, set[str]]:
    """Who likes what by the last that each writer was told."""
    wanted: dict[str, set[str]] = {thing: set() for thing in THINGS}
    for history in histories:
        for line in lines(Path(history)):
            (wanted[line["thing"]].add if line["liked"] else wanted[line["thing"]].discard)(line["player"])
    return wanted


def test_there_are_steps_to_die_at() -> None:
    assert {step.partition(".")[0] for step in STEPS} == {"like", "count"}


@pytest.mark.parametrize("fsync", ["always", "everysec"])
def test_likes_are_exact_though_redis_is_killed_again_and_again(
    make_world: MakeWorld, dice: random.Random, seed: int, fsync: str
) -> None:
    world = make_world(fsync=fsync)
    world.call(likers.prepare, players=[name for nth in range(WRITERS) for name in names(nth)], things=THINGS)
    histories = [world.new_history() for _ in range(WRITERS)]
    writers = [
        world.spawn(likers.like_at_random, history=history, players=names(nth), things=THINGS, seed=seed + nth)
        for nth, history in enumerate(histories)
    ]
    others = [world.spawn(likers.work), world.spawn(likers.work)]
    others += [world.spawn(likers.read_at_random, things=THINGS, seed=seed)]

    for _ in range(TIMES):
        time.sleep(dice.uniform(0.2, 1.0))
        world.redis.kill()
        time.sleep(dice.uniform(0.0, 0.3))
        world.redis.start()
    time.sleep(0.5)
    for child in (*writers, *others):
        child.stop()

    agree(world, THINGS, told(histories))


def test_likes_are_exact_though_redis_does_not_answer_for_seven_seconds(world: World, seed: int) -> None:
    world.call(likers.prepare, players=names(0), things=THINGS)
    history = world.new_history()
    children = [
        world.spawn(likers.like_at_random, history=history, players=names(0), things=THINGS, seed=seed),
        world.spawn(likers.work),
        world.spawn(likers.read_at_random, things=THINGS, seed=seed),
    ]

    time.sleep(0.5)
    world.redis.freeze()
    time.sleep(0.5)
    before = len(list(lines(Path(history))))
    time.sleep(FROZEN_SECONDS - 0.5)
    meanwhile = len(list(lines(Path(history)))) - before
    world.redis.thaw()
    time.sleep(1.0)
    for child in children:
        child.stop()

    assert meanwhile > 10
    agree(world, THINGS, told([history]))


def test_likes_are_exact_though_redis_is_emptied_and_workers_are_killed(
    world: World, dice: random.Random, seed: int
) -> None:
    world.call(likers.prepare, players=names(0), things=THINGS)
    history = world.new_history()
    writer = world.spawn(likers.like_at_random, history=history, players=names(0), things=THINGS, seed=seed)
    reader = world.spawn(likers.read_at_random, things=THINGS, seed=seed)

    for _ in range(2 * TIMES):
        workers = [world.spawn(likers.work) for _ in range(2)]
        time.sleep(dice.uniform(0.05, 0.4))
        if dice.random() < 0.3:
            with world.redis.client() as client:
                client.flushall()
        for worker in workers:
            worker.kill()
    for child in (writer, reader):
        child.stop()

    agree(world, THINGS, told([history]))


@pytest.fixture(scope="module")
def shared_world(make_lasting_world: MakeWorld) -> World:
    world = make_lasting_world()
    world.call(likers.prepare, players=["ann", "bob"], things=THINGS)
    return world


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Each test likes something of its own."""
    return count(100)


@pytest.mark.parametrize("liked", [True, False], ids=["liking", "taking-back"])
@pytest.mark.parametrize("step", [step for step in STEPS if step.startswith("like.")])
def test_who_likes_may_die_at_any_step(shared_world: World, numbers: Iterator[int], step: str, liked: bool) -> None:
    thing = str(next(numbers))
    shared_world.call(likers.set_like, thing=thing, player="ann", liked=not liked)
    shared_world.call(likers.show, things=[thing])

    status = shared_world.spawn(likers.set_like, fail_at=step, thing=thing, player="ann", liked=liked).wait()

    assert status == KILLED_HERE
    decided = liked if step != "like.before_commit" else not liked
    agree(shared_world, [thing], {thing: {"ann"} if decided else set()})


@pytest.mark.parametrize("step", [step for step in STEPS if step.startswith("count.")])
def test_who_counts_may_die_at_any_step(shared_world: World, numbers: Iterator[int], step: str) -> None:
    thing = str(next(numbers))
    shared_world.call(likers.set_like, thing=thing, player="bob", liked=True)
    shared_world.call(likers.mark_unput, thing=thing)
    shared_world.call(likers.show, things=[thing])
    shared_world.spawn(likers.set_like, fail_at="like.after_commit", thing=thing, player="ann", liked=True).wait()

    assert shared_world.spawn(likers.count_once, fail_at=step).wait() == KILLED_HERE

    agree(shared_world, [thing], {thing: {"ann", "bob"}})


def test_what_a_dead_writer_did_not_tell_the_batch_tells(shared_world: World, numbers: Iterator[int]) -> None:
    thing = str(next(numbers))
    shared_world.call(likers.set_like, thing=thing, player="bob", liked=True)
    shared_world.call(likers.show, things=[thing])
    shared_world.spawn(likers.set_like, fail_at="like.after_commit", thing=thing, player="ann", liked=True).wait()

    before = shared_world.call(likers.look, things=[thing])[thing]["view"]
    shared_world.call(likers.count_once)
    after = shared_world.call(likers.look, things=[thing])[thing]["view"]

    assert (before, after) == ([1, 1], [2, 2])
