"""A real worker and a real beat, with the demo's options, and killed as nobody should be.

They are forked from a process of the world, since a fresh interpreter takes seconds, and here a second is an hour.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.conf import settings

from config.local.demo import WORKER
from tests.faults.processes import Child
from tests.faults.world import World
from tests.flows.contest import live_by

ARGUMENTS = {"worker": ["--quiet", *WORKER.split()], "beat": ["--quiet", "beat"]}


def work(fast: str, arguments: list[str]) -> None:
    """What a child is: Celery, in a session of its own, so that what it forks can be killed with it."""
    from tests.flows.quick import app

    os.setsid()
    live_by(fast)
    settings.WEBHOOK_ALLOW_PRIVATE = True
    app.start(arguments)


class Crew:
    """The two of them. Use `crew`, which leaves none behind."""

    def __init__(self, world: World, fast: str) -> None:
        self._world = world
        self._fast = fast
        self._living: dict[str, Child] = {}

    def start(self, name: str) -> None:
        self._living[name] = self._world.spawn(work, fast=self._fast, arguments=ARGUMENTS[name])

    def kill(self, name: str) -> None:
        """`kill -9`, with the processes that it has forked."""
        child = self._living.pop(name)
        with suppress(ProcessLookupError):  # one just born has no session yet, nor forked anybody
            os.killpg(child.pid, signal.SIGKILL)
        child.kill()

    def kill_worker(self, away: float) -> None:
        """Until somebody starts it again."""
        self.kill("worker")
        time.sleep(away)
        self.start("worker")

    def kill_redis(self, away: float) -> None:
        self._world.redis.kill()
        time.sleep(away)
        self._world.redis.start()

    def revive(self) -> None:
        """Start again who has ended by himself, as every supervisor does; says why he ended."""
        for name, child in list(self._living.items()):
            if (status := child.ended()) is not None:
                print(f"{name} ended with {status}: {child.last_words()}")  # noqa: T201 (whoever looks for a cause needs it)
                self.start(name)

    def watch(self, until: float) -> None:
        """Have an eye on both until that moment."""
        while time.time() < until:
            self.revive()
            time.sleep(0.05)

    def end(self) -> None:
        for name in list(self._living):
            self.kill(name)


@contextmanager
def crew(world: World, fast: str) -> Iterator[Crew]:
    """Both at work until the block ends."""
    found = Crew(world, fast)
    try:
        for name in ARGUMENTS:
            found.start(name)
        yield found
    finally:
        found.end()


def kill_at_random(found: Crew, dice: random.Random, begins: float, seconds: float, kills: int = 2) -> None:
    """Kill the worker and Redis so many times each within the time; says what was killed when."""
    acts = sorted((dice.uniform(0.05, 0.95) * seconds, who) for who in ("worker", "redis") for _ in range(kills))
    for moment, who in acts:
        found.watch(until=begins + moment)
        print(f"kill -9 {who} after {time.time() - begins:.1f} s")  # noqa: T201 (whoever looks for a cause needs it)
        kill = found.kill_worker if who == "worker" else found.kill_redis
        kill(dice.uniform(0.1, 1.0))
