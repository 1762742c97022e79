"""A real worker and a real beat, with the demo's options, and killed as nobody should be.

They are forked from a process of the world, since a fresh interpreter takes seconds, and here a second is an hour.
"""

import os
import random
import signal
import time
from contextlib import suppress
from typing import Self

from django.conf import settings

from config.celery import app
from config.local.demo import WORKER
from foundation.sunwi_settings import sunwi_settings
from tests.faults.processes import Child
from tests.faults.world import World
from tests.flows.contest import live_by

# The app is at hand: its name, which stands first, is left out.
ARGUMENTS = {"worker": ["--quiet", *WORKER.split()[1:]], "beat": ["--quiet", "beat"]}


def work(fast: str, arguments: list[str]) -> None:
    """What a child is: Celery, in a session of its own, so that what it forks can be killed with it.

    Where an hour passes in a second five seconds are a long time, so what comes so seldom comes ten times as often.
    """
    os.setsid()
    live_by(fast)
    settings.WEBHOOK_ALLOW_PRIVATE = True
    sunwi_settings.forget()
    app.conf.beat_schedule = {
        name: {**entry, "schedule": max(entry["schedule"] / 10, 0.5) if entry["schedule"] > 1 else 1.0}
        for name, entry in app.conf.beat_schedule.items()
        if entry["schedule"] < 60
    }
    app.start(arguments)


class Crew:
    """The two of them, at work until the block ends."""

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

    def revive(self) -> None:
        """Start again who has ended by themselves, as every supervisor does; says why they ended."""
        for name, child in list(self._living.items()):
            if (status := child.ended()) is not None:
                print(f"{name} ended with {status}: {child.forker.log_tail()}")
                self.start(name)

    def kill_at_random(self, dice: random.Random, begins: float, seconds: float) -> None:
        """Kill the worker and Redis twice each within the time, for a moment; says what was killed when."""
        redis, worker = self._world.redis, "worker"
        acts = {
            "redis": (redis.kill, redis.start),
            "worker": (lambda: self.kill(worker), lambda: self.start(worker)),
        }
        for moment, who in sorted((dice.uniform(0.05, 0.95) * seconds, who) for who in [*acts, *acts]):
            while time.time() < begins + moment:
                self.revive()
                time.sleep(0.05)
            print(f"kill -9 {who} after {time.time() - begins:.1f} s")
            kill, start = acts[who]
            kill()
            time.sleep(dice.uniform(0.1, 1.0))
            start()

    def __enter__(self) -> Self:
        for name in ARGUMENTS:
            self.start(name)
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._living):
            self.kill(name)
