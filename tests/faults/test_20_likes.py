"""Likes, decided over by SQL and by Redis, while Redis is killed, frozen and emptied, and processes die at any step."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults import likes
from tests.faults.check import check_likes, likes_at_rest
from tests.faults.conftest import LONG, MakeWorld, steps
from tests.faults.history import Fate, calls
from tests.faults.processes import KILLED_HERE, Child
from tests.faults.world import World, wait_until

TIMES = 20 if LONG else 5
FROZEN_SECONDS = 7.0
WRITERS = 3
EVERY_KIND, EXACT_KIND, REDIS_KINDS = ["note", "cheer", "clap"], ["note"], ["cheer", "clap"]
STEPS = steps("likes/stores/hybrid.py", "likes/services/count.py")
STEPS_IN_REDIS = steps("likes/services/mirror.py", "likes/services/settle.py")


@pytest.fixture
def things(numbers: Iterator[int]) -> list[str]:
    """Some of each test's own."""
    return [str(next(numbers)), str(next(numbers))]


@contextmanager
def load(world: World, seed: int, kinds: list[str], things: list[str]) -> Iterator[list[Path]]:
    """Writers, each of players of his own, and a reader, until the block ends; where the writers note their calls."""
    names = [[f"w{seed}-{writer}-{nth}" for nth in range(8)] for writer in range(WRITERS)]
    world.call(likes.prepare, players=[name for each in names for name in each], things=things)
    histories = [world.new_history() for _ in range(WRITERS)]
    how: dict[str, Any] = {"kinds": kinds, "things": things}
    children = [
        world.spawn(likes.write, history=history, players=names[nth], seed=seed + nth, **how)
        for nth, history in enumerate(histories)
    ]
    children.append(world.spawn(likes.read, history=world.new_history(), things=things, seed=seed))
    notes = [Path(history) for history in histories]
    wait_until(lambda: all(answered(each) for each in notes), "every writer was answered")
    yield notes
    for child in children:
        child.stop()


def answered(notes: Path, since: float = 0.0) -> int:
    return sum("own" in call.said for call in calls(notes) if call.began > since)


@contextmanager
def workers(world: World, many: int = 2) -> Iterator[list[Child]]:
    """Some who do what the schedule does, until the block ends."""
    children = [world.spawn(likes.work) for _ in range(many)]
    yield children
    for child in children:
        child.stop()


@pytest.mark.parametrize(("fsync", "kinds"), [("always", EVERY_KIND), ("everysec", EXACT_KIND)])
def test_likes_are_exact_though_redis_is_killed_again_and_again(
    make_world: MakeWorld, things: list[str], dice: random.Random, seed: int, fsync: str, kinds: list[str]
) -> None:
    world = make_world(fsync=fsync)
    with load(world, seed, kinds, things) as notes, workers(world):
        for _ in range(TIMES):
            time.sleep(dice.uniform(0.2, 1.5))  # after a failure writers ask Redis again in a second
            world.redis.restart(pause=dice.uniform(0.0, 0.3))
        since = time.monotonic()
        wait_until(lambda: all(answered(each, since) for each in notes), "every writer was answered again")

    fates = check_likes(world, things).fates
    assert {fate for kind, fate in fates if kind == "note"} == {Fate.OK}
    assert fsync == "everysec" or all({(kind, Fate.OK), (kind, Fate.FAILED)} <= fates.keys() for kind in REDIS_KINDS)


def test_likes_are_exact_though_redis_does_not_answer_for_seven_seconds(
    world: World, things: list[str], seed: int
) -> None:
    with load(world, seed, EXACT_KIND, things) as notes, workers(world, many=1):
        world.redis.freeze()
        time.sleep(0.5)
        since = time.monotonic()
        time.sleep(FROZEN_SECONDS - 0.5)
        meanwhile = [answered(each, since) for each in notes]
        world.redis.thaw()
        thawed = time.monotonic()
        wait_until(lambda: all(answered(each, thawed) for each in notes), "every writer was answered again")

    assert min(meanwhile) > 10
    assert {fate for _, fate in check_likes(world, things).fates} == {Fate.OK}


def test_likes_are_exact_though_redis_is_emptied_and_workers_are_killed(
    world: World, things: list[str], dice: random.Random, seed: int
) -> None:
    with load(world, seed, EXACT_KIND, things):
        for nth in range(2 * TIMES):
            killed = [world.spawn(likes.work) for _ in range(2)]
            time.sleep(dice.uniform(0.05, 0.4))
            if nth % 3 == 0:
                world.redis.lose_memory()
            for worker in killed:
                worker.kill()

    assert {fate for _, fate in check_likes(world, things).fates} == {Fate.OK}


def test_memory_that_was_lost_costs_at_most_what_was_not_mirrored(
    world: World, things: list[str], seed: int, dice: random.Random
) -> None:
    with load(world, seed, REDIS_KINDS, things):
        pass
    before = likes_at_rest(world, things)
    with load(world, seed + 100, REDIS_KINDS, things) as notes, workers(world, many=1):
        for _ in range(3):
            time.sleep(dice.uniform(0.2, 0.5))
            world.redis.lose_memory()
        since = time.monotonic()
        wait_until(lambda: all(answered(each, since) for each in notes), "every writer was answered again")

    for earlier, found in zip(before, likes_at_rest(world, things), strict=True):
        assert {player: found["rows"].get(player) for player in earlier["rows"]} == earlier["rows"]


@pytest.fixture
def thing(shared_world: World, things: list[str]) -> str:
    """Something that ann and bob may like."""
    shared_world.call(likes.prepare, players=["ann", "bob"], things=things[:1])
    return things[0]


def who_likes(world: World, thing: str) -> set[str]:
    """Who likes a note, as every place says."""
    return {player for told in likes_at_rest(world, [thing]) if told["kind"] == "note" for player in told["rows"]}


def test_there_are_steps_to_die_at() -> None:
    assert {step.partition(".")[0] for step in STEPS} == {"like", "count"}
    assert {step.partition(".")[0] for step in STEPS_IN_REDIS} == {"mirror_likes", "settle_likes"}
    assert len(STEPS_IN_REDIS) >= 9


@pytest.mark.parametrize("liked", [True, False], ids=["liking", "taking-back"])
@pytest.mark.parametrize("step", [step for step in STEPS if step.startswith("like.")])
def test_who_likes_may_die_at_any_step(shared_world: World, thing: str, step: str, liked: bool) -> None:
    shared_world.call(likes.set_like, thing=thing, player="ann", liked=not liked)
    shared_world.call(likes.show, things=[thing])

    status = shared_world.spawn(likes.set_like, fail_at=step, thing=thing, player="ann", liked=liked).wait()

    assert status == KILLED_HERE
    decided = liked if step != "like.before_commit" else not liked
    assert who_likes(shared_world, thing) == ({"ann"} if decided else set())


def like_and_die(world: World, thing: str) -> None:
    """Bob likes it, as all know; ann dies between what SQL knows and what Redis is told."""
    world.call(likes.set_like, thing=thing, player="bob", liked=True)
    world.call(likes.mark_unput, thing=thing)
    world.call(likes.show, things=[thing])
    writer = world.spawn(likes.set_like, fail_at="like.after_commit", thing=thing, player="ann", liked=True)
    assert writer.wait() == KILLED_HERE


@pytest.mark.parametrize("step", [step for step in STEPS if step.startswith("count.")])
def test_who_counts_may_die_at_any_step(shared_world: World, thing: str, step: str) -> None:
    like_and_die(shared_world, thing)

    assert shared_world.spawn(likes.count_once, fail_at=step).wait() == KILLED_HERE

    assert who_likes(shared_world, thing) == {"ann", "bob"}


def test_what_a_dead_writer_did_not_tell_the_batch_tells(shared_world: World, thing: str) -> None:
    shared_world.call(likes.set_like, thing=thing, player="bob", liked=True)
    shared_world.call(likes.show, things=[thing])
    shared_world.spawn(likes.set_like, fail_at="like.after_commit", thing=thing, player="ann", liked=True).wait()

    before = shared_world.call(likes.look, things=[thing])[0]["view"]
    shared_world.call(likes.count_once)
    after = shared_world.call(likes.look, things=[thing])[0]["view"]

    assert (before, after) == ([1, 1], [2, 2])


@pytest.mark.parametrize("step", STEPS_IN_REDIS)
def test_who_mirrors_and_settles_may_die_at_any_step(
    world: World, things: list[str], dice: random.Random, step: str
) -> None:
    only = [step.partition(".")[0]]
    with load(world, dice.randrange(10**9), REDIS_KINDS, things):
        if only == ["settle_likes"]:
            world.redis.restart()
        if ".while_" not in step:
            assert world.spawn(likes.work, fail_at=step, only=only).wait() == KILLED_HERE
    if ".while_" in step:  # only memory that is lost is emptied, and gets more than what SQL has of later
        likes_at_rest(world, things)
        world.redis.lose_memory()
        assert world.spawn(likes.work, fail_at=step, only=only).wait() == KILLED_HERE

    check_likes(world, things)
