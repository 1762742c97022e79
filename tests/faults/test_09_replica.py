"""A replica takes over from a killed Redis: what it lacks of the acknowledged writes, with and without WAIT.

A plain server and a plain writer, one write at a time: this measures Redis, not us. The replica follows
through a proxy, so that the link between the two can be slow, or cut. Each run prints its figures.
"""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis

from tests.faults.conftest import LONG
from tests.faults.proxy import Proxy
from tests.faults.servers import RedisServer, new_redis, temporary_folder
from tests.faults.world import wait_until

TIMES = 10 if LONG else 1
CUT = -1.0  # a link that is cut half-way to the kill
LINKS = {"at once": 0.0, "20 ms": 0.02, "100 ms": 0.1, "cut half-way": CUT}

Acknowledged = Callable[[redis.Redis], bool]


def at_once(_: redis.Redis) -> bool:
    """Whoever got an answer takes his write for kept."""
    return True


def by_a_replica(client: redis.Redis) -> bool:
    """Whoever got an answer asks whether a replica has the write too."""
    return int(client.wait(1, 500)) >= 1


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


def run(link: str, acknowledged: Acknowledged, dice: random.Random) -> tuple[list[int], list[int], float]:
    """Write until the primary is killed, then promote the replica: what was acknowledged, and what of it is lost.

    And how long it was from the last write to the kill: on a busy machine a replica may catch up in it.
    """
    seconds = dice.uniform(0.5, 1.0)
    with servers() as (primary, replica), following(primary, replica) as proxy:
        proxy.answer_delay = max(0.0, LINKS[link])
        with primary.client() as client:
            kept = [*written(client, acknowledged, seconds / 2)]
            proxy.deaf = LINKS[link] == CUT
            kept += written(client, acknowledged, seconds / 2, start=kept[-1])
        last = time.monotonic()
        primary.kill()
        pause = time.monotonic() - last
        with replica.client() as client:
            client.replicaof("NO", "ONE")
            there = {int(member) for member in client.zrange("board", 0, -1)}
    lost = [number for number in kept if number not in there]
    told = f"{len(kept)} writes in {seconds:.2f} s, {len(lost)} of them lost"
    print(f"link {link}, acknowledged {acknowledged.__name__}: {told}")  # noqa: T201 (the measurement)
    return kept, lost, pause


def written(client: redis.Redis, acknowledged: Acknowledged, seconds: float, start: int = 0) -> Iterator[int]:
    """Acknowledged writes of so many seconds."""
    number, until = start, time.monotonic() + seconds
    while time.monotonic() < until:
        number += 1
        client.zadd("board", {str(number): number})
        if acknowledged(client):
            yield number


@pytest.mark.parametrize("link", LINKS)
def test_what_a_replica_has_acknowledged_outlives_the_primary(dice: random.Random, link: str) -> None:
    for _ in range(TIMES):
        kept, lost, _ = run(link, by_a_replica, dice)

        assert kept
        assert lost == []


@pytest.mark.parametrize("link", LINKS)
def test_without_waiting_the_last_moments_are_lost_and_nothing_before(dice: random.Random, link: str) -> None:
    for _ in range(TIMES):
        kept, lost, pause = run(link, at_once, dice)

        assert lost == kept[len(kept) - len(lost) :]
        assert lost or 0.0 <= LINKS[link] <= pause
        assert len(lost) < len(kept)
