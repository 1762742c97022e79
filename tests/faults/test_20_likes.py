"""Likes, decided over by SQL and by Redis, while Redis is killed, frozen and emptied, and processes die at any step."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.faults import likes
from tests.faults.check import check_likes, likes_at_rest
from tests.faults.conftest import LONG, MakeWorld, steps
from tests.faults.history import Fate, calls
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World, wait_until

TIMES = 20 if LONG else 5
WRITERS = 3
REDIS_KINDS = ["cheer", "clap"]
LIKING, COUNTING = steps("likes/stores/hybrid.py", "like"), steps("likes/services/count.py", "count")
STEPS_IN_REDIS = steps("likes/services", "mirror_likes", "settle_likes")
numbers = map(str, count())


@pytest.fixture
def things() -> list[str]:
    """Some of each test's own."""
    return [next(numbers), next(numbers)]


@contextmanager
def load(world: World, seed: int, kinds: list[str], things: list[str], workers: int = 0) -> Iterator[list[Path]]:
    """Writers, each of players of his own, a reader and workers, until the block ends; where the writers note calls."""
    names = [[f"w{seed}-{writer}-{nth}" for nth in range(8)] for writer in range(WRITERS)]
    world.call(likes.prepare, players=[name for each in names for name in each], things=things)
    histories = [world.new_history() for _ in range(WRITERS)]
    how: dict[str, Any] = {"kinds": kinds, "things": things}
    children = [
        world.spawn(likes.write, history=history, players=names[nth], seed=seed + nth, **how)
        for nth, history in enumerate(histories)
    ]
    children.append(world.spawn(likes.read, history=world.new_history(), things=things, seed=seed))
    children += [world.spawn(likes.work) for _ in range(workers)]
    notes = [Path(history) for history in histories]
    all_answered(notes, 0.0)
    yield notes
    for child in children:
        child.stop()


def answered(notes: Path, since: float) -> int:
    return sum("own" in call.said for call in calls(notes) if call.began > since)


def all_answered(notes: list[Path], since: float) -> None:
    wait_until(lambda: all(answered(each, since) for each in notes), "every writer was answered")


@pytest.mark.parametrize(("fsync", "kinds"), [("always", ["note", *REDIS_KINDS]), ("everysec", ["note"])])
def test_likes_are_exact_though_redis_is_killed_frozen_and_emptied_and_workers_are_killed(
    make_world: MakeWorld, things: list[str], dice: random.Random, seed: int, fsync: str, kinds: list[str]
) -> None:
    world = make_world(fsync=fsync)
    with load(world, seed, kinds, things, workers=1) as notes:
        for nth in range(2 * TIMES):
            killed = [world.spawn(likes.work) for _ in range(2)]
            time.sleep(dice.uniform(0.1, 1.5))  # after a failure writers ask Redis again in a second
            if nth % 3 == 0:
                world.redis.restart(pause=dice.uniform(0.0, 0.3))
            elif nth % 3 == 1:
                world.redis.freeze()
                time.sleep(dice.uniform(0.3, 1.5))
                world.redis.thaw()
            elif fsync == "everysec":  # what only Redis has would be lost
                world.redis.lose_memory()
            for worker in killed:
                worker.kill()
        all_answered(notes, time.monotonic())

    fates = check_likes(world, things).fates
    assert {fate for kind, fate in fates if kind == "note"} == {Fate.OK}
    assert fsync == "everysec" or all({(kind, Fate.OK), (kind, Fate.FAILED)} <= fates.keys() for kind in REDIS_KINDS)


def test_memory_that_was_lost_costs_at_most_what_was_not_mirrored(
    world: World, things: list[str], seed: int, dice: random.Random
) -> None:
    with load(world, seed, REDIS_KINDS, things):
        pass
    before = likes_at_rest(world, things)
    with load(world, seed + 100, REDIS_KINDS, things, workers=1) as notes:
        for _ in range(3):
            time.sleep(dice.uniform(0.2, 0.5))
            world.redis.lose_memory()
        all_answered(notes, time.monotonic())

    for earlier, found in zip(before, likes_at_rest(world, things), strict=True):
        assert {player: found["rows"].get(player) for player in earlier["rows"]} == earlier["rows"]


@pytest.fixture
def thing(shared_world: World, things: list[str]) -> str:
    shared_world.call(likes.prepare, players=["ann", "bob"], things=things[:1])
    return things[0]


def like(world: World, thing: str, player: str, liked: bool = True, die_at: str = "") -> None:
    """Or take it back; whoever is to die does."""
    child = world.spawn(likes.set_like, fail_at=die_at, thing=thing, player=player, liked=liked)
    assert child.wait() == (KILLED_HERE if die_at else 0)


def who_likes(world: World, thing: str) -> set[str]:
    return {player for told in likes_at_rest(world, [thing]) if told["kind"] == "note" for player in told["rows"]}


@pytest.mark.parametrize("liked", [True, False], ids=["liking", "taking-back"])
@pytest.mark.parametrize("step", LIKING)
def test_who_likes_may_die_at_any_step(shared_world: World, thing: str, step: str, liked: bool) -> None:
    like(shared_world, thing, "ann", not liked)
    shared_world.call(likes.show, things=[thing])

    like(shared_world, thing, "ann", liked, die_at=step)

    decided = liked if step != "like.before_commit" else not liked
    assert who_likes(shared_world, thing) == ({"ann"} if decided else set())


@pytest.mark.parametrize("step", COUNTING)
def test_who_counts_may_die_at_any_step(shared_world: World, thing: str, step: str) -> None:
    like(shared_world, thing, "bob")
    shared_world.call(likes.mark_unput, thing=thing)
    shared_world.call(likes.show, things=[thing])
    like(shared_world, thing, "ann", die_at="like.after_commit")

    assert shared_world.spawn(likes.count_once, fail_at=step).wait() == KILLED_HERE

    assert who_likes(shared_world, thing) == {"ann", "bob"}


def test_what_a_dead_writer_did_not_tell_the_batch_tells(shared_world: World, thing: str) -> None:
    like(shared_world, thing, "bob")
    shared_world.call(likes.show, things=[thing])
    like(shared_world, thing, "ann", die_at="like.after_commit")

    before = shared_world.call(likes.look, things=[thing])[0]["view"]
    shared_world.call(likes.count_once)
    after = shared_world.call(likes.look, things=[thing])[0]["view"]

    assert (before, after) == ([1, 1], [2, 2])


@pytest.mark.parametrize("step", STEPS_IN_REDIS)
def test_who_mirrors_and_settles_may_die_at_any_step(
    world: World, things: list[str], dice: random.Random, step: str
) -> None:
    duty, only_of_lost_memory = step.partition(".")[0], ".while_" in step

    def die() -> None:
        assert world.spawn(likes.work, fail_at=step, only=[duty]).wait() == KILLED_HERE

    with load(world, dice.randrange(10**9), REDIS_KINDS, things):
        if duty == "settle_likes":
            world.redis.restart()
        if not only_of_lost_memory:
            die()
    if only_of_lost_memory:  # which is emptied, and gets more than what SQL has of later
        likes_at_rest(world, things)
        world.redis.lose_memory()
        die()

    check_likes(world, things)
