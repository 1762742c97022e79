"""A replica takes over from a killed Redis: what it lacks of the acknowledged writes, with and without WAIT.

A plain server and a plain writer, one write at a time: this measures Redis, not us. The replica follows
through a proxy, so that the link between the two can be slow, or cut. Each run prints its figures.
"""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
import redis

from tests.faults.conftest import LONG
from tests.faults.loads import wait_until
from tests.faults.proxy import Proxy
from tests.faults.servers import RedisServer, new_redis, temporary_folder

TIMES = 10 if LONG else 2
CUT = -1.0  # a link that is cut half-way to the kill

Acknowledged = Callable[[redis.Redis], bool]


def at_once(_: redis.Redis) -> bool:
    """Whoever got an answer takes his write for kept."""
    return True


def by_a_replica(client: redis.Redis) -> bool:
    """Whoever got an answer asks whether a replica has the write too."""
    return int(client.wait(1, 500)) >= 1


@dataclass(frozen=True)
class Run:
    """Which writes were acknowledged and which the promoted replica has, in how many seconds.

    ``pause`` went by between the last write and the kill: on a busy machine a replica may catch up in it.
    """

    kept: list[int]
    there: set[int]
    seconds: float
    pause: float

    @property
    def lost(self) -> list[int]:
        return [number for number in self.kept if number not in self.there]


@contextmanager
def servers() -> Iterator[tuple[RedisServer, RedisServer]]:
    """A primary and a replica to be."""
    folders = temporary_folder(), temporary_folder()
    primary, replica = (new_redis(folder, "everysec") for folder in folders)
    try:
        for server in (primary, replica):
            server.start()
        yield primary, replica
    finally:
        for server, folder in zip((primary, replica), folders, strict=True):
            server.end()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def following(primary: RedisServer, replica: RedisServer) -> Iterator[Proxy]:
    """The link by which the replica follows, once it is in step."""
    proxy = Proxy(primary.made.socket)
    with primary.client() as client:
        client.config_set("repl-diskless-sync-delay", 0)
    with replica.client() as client:
        client.replicaof("127.0.0.1", str(proxy.port))
        wait_until(lambda: client.info("replication")["master_link_status"] == "up", "the replica follows")
    try:
        yield proxy
    finally:
        proxy.close()


def run(link: float, acknowledged: Acknowledged, dice: random.Random) -> Run:
    """Write until the primary is killed, then promote the replica."""
    seconds = dice.uniform(0.5, 1.0)
    with servers() as (primary, replica), following(primary, replica) as proxy:
        proxy.answer_delay = max(0.0, link)
        with primary.client() as client:
            kept = [*written(client, acknowledged, seconds / 2)]
            proxy.deaf = link == CUT
            kept += written(client, acknowledged, seconds / 2, start=kept[-1])
        last = time.monotonic()
        primary.kill()
        pause = time.monotonic() - last
        with replica.client() as client:
            client.replicaof("NO", "ONE")
            there = {int(member) for member in client.zrange("board", 0, -1)}
    return Run(kept, there, seconds, pause)


def written(client: redis.Redis, acknowledged: Acknowledged, seconds: float, start: int = 0) -> Iterator[int]:
    """Acknowledged writes of so many seconds."""
    number, until = start, time.monotonic() + seconds
    while time.monotonic() < until:
        number += 1
        client.zadd("board", {str(number): number})
        if acknowledged(client):
            yield number


def told(link: float, acknowledged: Acknowledged, dice: random.Random) -> list[Run]:
    """Some runs, and a line for each."""
    found = []
    for _ in range(TIMES):
        each = run(link, acknowledged, dice)
        found.append(each)
        where = "cut half-way" if link == CUT else f"{1000 * link:.0f} ms"
        print(  # noqa: T201 (the measurement)
            f"link {where}, acknowledged {acknowledged.__name__}: {len(each.kept)} writes in {each.seconds:.2f} s, "
            f"{len(each.lost)} of them lost"
        )
    return found


@pytest.mark.parametrize("link", [0.0, 0.02, 0.1, CUT])
def test_what_a_replica_has_acknowledged_outlives_the_primary(dice: random.Random, link: float) -> None:
    runs = told(link, by_a_replica, dice)

    assert all(each.kept for each in runs)
    assert [each.lost for each in runs] == [[]] * TIMES


@pytest.mark.parametrize("link", [0.0, 0.02, 0.1, CUT])
def test_without_waiting_the_last_moments_are_lost_and_nothing_before(dice: random.Random, link: float) -> None:
    runs = told(link, at_once, dice)

    for each in runs:
        assert each.lost == each.kept[len(each.kept) - len(each.lost) :]
        assert each.lost or 0.0 <= link <= each.pause
        assert len(each.lost) < len(each.kept)
