"""What goes wrong during a run, one fault at a time, and which requests may fail meanwhile.

A window begins with the fault and ends when all is well again, plus a margin for what was under way. Outside of windows
nothing may fail, and what a fault does not concern may not fail inside either: docs/operations promises that.
"""

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from foundation.db.resilience import CACHE_TTL
from tests.faults.world import wait_until
from tests.soak.deployment import Deployment
from tests.soak.record import Record, Window

SCORES, REDIS = "score exact", "score redis"
EVERYTHING = frozenset({SCORES, REDIS, "score competition", "join", "like", "page", "read", "admin"})
NOTHING: frozenset[str] = frozenset()
OF_REDIS = frozenset({REDIS})
UNDER_WAY = 2.0  # seconds in which what was under way with the fault is answered, or given up, on a busy machine


@dataclass(frozen=True, slots=True)
class Fault:
    """``strike`` does it and returns when all is well again; then a margin of ``after`` seconds follows."""

    name: str
    strike: Callable[[Deployment, random.Random], None]
    may_fail: frozenset[str]
    after: float = UNDER_WAY


def kill_a_web_process(site: Deployment, dice: random.Random) -> None:
    """One of the first instance's; granian starts another, and others take what it cannot."""
    os.kill(dice.choice(site.web[0].children()), signal.SIGKILL)


def kill_an_instance(site: Deployment, dice: random.Random) -> None:
    """The whole first one, which is started again only later (``heal``)."""
    site.web[0].kill()


def kill_redis(site: Deployment, dice: random.Random) -> None:
    site.world.redis.restart(pause=dice.uniform(0.2, 2.0))
    site.world.wait_until_live()


def freeze_redis(site: Deployment, dice: random.Random) -> None:
    site.world.redis.freeze()
    time.sleep(dice.uniform(1.0, 3.0))
    site.world.redis.thaw()
    time.sleep(1.0)  # whoever saw it silent marks what is stale
    site.world.wait_until_live()


def kill_sql(site: Deployment, dice: random.Random) -> None:
    site.world.sql.restart(pause=dice.uniform(0.2, 1.0))
    site.world.wait_until_live()


def restart_sql(site: Deployment, dice: random.Random) -> None:
    """In order, as for an update."""
    site.world.sql.process.send_signal(signal.SIGINT)
    site.world.sql.process.wait()
    site.world.sql.restart()
    site.world.wait_until_live()


def end_connections(site: Deployment, dice: random.Random) -> None:
    assert site.terminate_backends()


def freeze_the_worker(site: Deployment, dice: random.Random) -> None:
    site.worker.send(signal.SIGSTOP)
    time.sleep(dice.uniform(2.0, 6.0))
    site.worker.send(signal.SIGCONT)


def kill_the_passing_redis(site: Deployment, dice: random.Random) -> None:
    """Page cache and broker."""
    site.passing.restart(pause=dice.uniform(0.2, 2.0))


FAULTS = [
    Fault("a web process is killed", kill_a_web_process, EVERYTHING),
    Fault("a web instance is killed", kill_an_instance, EVERYTHING),
    # Who saw a board stale refuses for as long as that is remembered.
    Fault("Redis is killed", kill_redis, OF_REDIS, CACHE_TTL + UNDER_WAY),
    Fault("Redis is frozen", freeze_redis, OF_REDIS, CACHE_TTL + UNDER_WAY),
    Fault("PostgreSQL is killed", kill_sql, EVERYTHING, CACHE_TTL + UNDER_WAY),
    Fault("PostgreSQL is restarted", restart_sql, EVERYTHING, CACHE_TTL + UNDER_WAY),
    Fault("all connections to PostgreSQL are ended", end_connections, EVERYTHING),
    Fault("the worker is frozen", freeze_the_worker, NOTHING),
    Fault("the passing Redis is killed", kill_the_passing_redis, NOTHING),
]


class Weather:
    """Deals the faults in a random order, each once before any comes again."""

    def __init__(self, site: Deployment, record: Record, seed: int, say: Callable[[str], None]) -> None:
        self._site, self._record, self._say = site, record, say
        self._dice, self._deck = random.Random(seed), list[Fault]()

    def strike(self) -> None:
        """One fault, to its end; its window is noted while it lasts, for whoever fails meanwhile."""
        if not self._deck:
            self._deck = self._dice.sample(FAULTS, len(FAULTS))
        fault = self._deck.pop()
        began = time.monotonic()
        fault.strike(self._site, self._dice)
        ended = time.monotonic() + fault.after
        self._record.windows.append(Window(fault.name, began, ended, fault.may_fail))
        self._say(f"{fault.name}: over after {time.monotonic() - began:.1f} s")
        self._heal()
        wait_until(lambda: time.monotonic() > ended, "the margin is over")

    def _heal(self) -> None:
        """What an orchestrator does: an instance that has ended is started again."""
        for each in self._site.web:
            if not each.is_up():
                each.kill()
                each.start()
