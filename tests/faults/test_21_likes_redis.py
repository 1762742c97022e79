"""Likes that Redis decides over, while Redis is killed or flushed, and while the worker dies at any step."""

import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.faults import clappers
from tests.faults.children import ROOT, Child
from tests.faults.conftest import LONG, MakeWorld
from tests.faults.history import lines
from tests.faults.loads import wait_until
from tests.faults.world import World

TIMES = 20 if LONG else 5
KILLED_HERE = 137
WRITERS = 3
STEPS = [
    step
    for name in ("mirror", "settle")
    for step in re.findall(r'failpoint\("([a-z_.]+)"\)', (ROOT / f"likes/services/{name}.py").read_text())
]


@dataclass
class Own:
    """How many likes of a player there may be: between these two, whatever became of what nobody knows."""

    least: int = 0
    most: int = 0


@dataclass
class Told:
    """What the writers were told, put together by kind and player."""

    own: dict[tuple[str, str], Own] = field(default_factory=lambda: defaultdict(Own))
    fates: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, folder: Path) -> "Told":
        told = cls()
        for path in sorted(folder.glob("*.jsonl")):
            begun: dict[int, dict[str, Any]] = {}
            for line in lines(path):
                if "step" in line:
                    begun[line["call"]] = line
                else:
                    told._take(begun.pop(line["call"]), line)
            for cut_off in begun.values():
                told._take(cut_off, {"fate": "unknown"})
        return told

    def _take(self, asked: dict[str, Any], said: dict[str, Any]) -> None:
        own = self.own[asked["kind"], asked["player"]]
        self.fates[said["fate"]] += 1
        if said["fate"] == "ok":
            assert self._may_be(asked, own, said["own"]), f"{asked} was answered {said}, and there were {own}"
            own.least = own.most = said["own"]
        elif said["fate"] == "unknown":
            own.least, own.most = min(own.least, _after(asked, own.least)), max(own.most, _after(asked, own.most))

    def _may_be(self, asked: dict[str, Any], own: Own, said: int) -> bool:
        return _after(asked, own.least) <= said <= _after(asked, own.most)


def _after(asked: dict[str, Any], own: int) -> int:
    """A player's likes after one call that acted."""
    wanted = max(own + asked["step"], 0)
    return int(wanted if asked["kind"] == "clap" else min(wanted, 1))


@contextmanager
def load(world: World, seed: int) -> Iterator[list[Child]]:
    """Writers, each of players of his own, until the block ends."""
    world.call(clappers.bring_to_rest)
    histories = [world.new_history() for _ in range(WRITERS)]
    children = [
        world.spawn(clappers.write, history=history, name=f"w{nth}-{seed}", seed=seed + nth, pause=0.001)
        for nth, history in enumerate(histories)
    ]
    wait_until(lambda: all(_was_answered(history) for history in histories), "every writer was answered")
    yield children
    for child in children:
        child.stop()


def _was_answered(history: str) -> bool:
    path = Path(history)
    return path.exists() and b'"fate": "ok"' in path.read_bytes()


@contextmanager
def at_work(world: World, **how: Any) -> Iterator[Child]:
    """Somebody who mirrors and settles until the block ends."""
    child = world.spawn(clappers.work, **how)
    yield child
    child.stop()


def check(world: World) -> Told:
    """The count, the set and SQL agree, and every player has what he was told, give or take what nobody knows."""
    found, told = world.call(clappers.bring_to_rest), Told.of(world.histories)
    for kind, said in found.items():
        assert said["count"] == said["sql_count"] == sum(said["set"].values())
        assert said["set"] == said["sql"]
        for (liked, player), own in told.own.items():
            assert liked != kind or own.least <= said["set"].get(player, 0) <= own.most, f"{player} of {kind}: {own}"
    print(f"{dict(told.fates)}; counts { {kind: said['count'] for kind, said in found.items()} }")  # noqa: T201 (what was done)
    return told


def _flush(world: World) -> None:
    with world.redis.client() as client:
        client.flushall()


def _kill_again_and_again(world: World, dice: random.Random) -> None:
    for _ in range(TIMES):
        time.sleep(dice.uniform(0.1, 2.0))  # after a failure writers ask again in a second
        world.redis.kill()
        time.sleep(dice.uniform(0.0, 0.2))
        world.redis.start()
    time.sleep(1.5)


def test_nothing_is_lost_or_counted_twice_when_redis_is_killed_and_writes_everything_down(
    world: World, seed: int, dice: random.Random
) -> None:
    with load(world, seed), at_work(world), at_work(world):
        _kill_again_and_again(world, dice)

    told = check(world)

    assert told.fates["ok"] > 0
    assert told.fates["failed"] > 0


@pytest.fixture(scope="module")
def shared_world(make_lasting_world: MakeWorld) -> World:
    """One world for all kills of this module: what one leaves behind must not trouble the next."""
    return make_lasting_world()


def test_there_are_steps_to_die_at() -> None:
    assert len(STEPS) >= 9


@pytest.mark.parametrize("step", STEPS)
def test_the_worker_may_die_at_any_step(shared_world: World, dice: random.Random, step: str) -> None:
    world, only = shared_world, [step.partition("_")[0]]
    with load(world, dice.randrange(10**9)):
        time.sleep(0.2)
        if only == ["settle"]:
            world.redis.kill()
            world.redis.start()
        if ".while_" not in step:
            assert world.spawn(clappers.work, fail_at=step, only=only).wait() == KILLED_HERE
    if ".while_" in step:  # only memory that is lost is emptied, and gets more than what SQL has of later
        world.call(clappers.bring_to_rest)
        _flush(world)
        assert world.spawn(clappers.work, fail_at=step, only=only).wait() == KILLED_HERE

    check(world)


def test_memory_that_was_flushed_costs_at_most_what_was_not_mirrored(
    make_world: MakeWorld, seed: int, dice: random.Random
) -> None:
    world = make_world()
    with load(world, seed):
        time.sleep(0.5)
    before = world.call(clappers.bring_to_rest)
    with load(world, seed + 100), at_work(world):
        for _ in range(3):
            time.sleep(dice.uniform(0.2, 0.5))
            _flush(world)
        time.sleep(1.0)

    found = world.call(clappers.bring_to_rest)

    for kind, said in found.items():
        assert said["count"] == said["sql_count"] == sum(said["set"].values())
        assert said["set"] == said["sql"]
        earlier = {player: amount for player, amount in said["set"].items() if player in before[kind]["set"]}
        assert earlier == before[kind]["set"]
