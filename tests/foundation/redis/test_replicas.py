"""Reading from real replicas: what is fresh is answered, all else is the primary's to answer, and soon."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foundation.conf import redis_cache
from foundation.monitoring.server_metrics import replica_reads
from foundation.redis import beats, lua, replica, replicas
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from foundation.redis.cluster import Cluster
from foundation.redis.replicas import LaggingAnswer, ReplicaReads, look_at_each
from foundation.redis.sentinel import pool_of
from tests.faults.nodes import Nodes
from tests.faults.sentinels import Watched
from tests.faults.servers import RedisServer, new_redis, temporary_folder
from tests.faults.world import wait_until

OPTIONS: dict[str, Any] = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
STALENESS = 1.5
SOON = 10 * replica.WAIT_SECONDS  # a slow machine is not a fault


@pytest.fixture
def get(tmp_path: Path) -> lua.Script:
    (tmp_path / "get.lua").write_text("#!lua flags=allow-oom\nreturn redis.call('GET', KEYS[1])")
    return lua.load(tmp_path / "get.lua")


class Beating:
    """Writes beats as the worker does, for ``client``."""

    def __init__(self, client: RedisClient) -> None:
        self._client, self._over = client, threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def __enter__(self) -> None:
        beats.write_beats(self._client)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._over.wait(beats.EVERY_SECONDS):
            beats.write_beats(self._client)


@pytest.fixture(autouse=True)
def wanted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicas are read from, looked for at each turn, and tried again soon."""
    settings.REPLICA_STALENESS = STALENESS
    monkeypatch.setattr(replicas, "FIND_SECONDS", 0.2)
    monkeypatch.setattr(replicas, "CLOCK_SECONDS", 0.2)
    monkeypatch.setattr(replicas, "SOONEST_SECONDS", 0.1)
    monkeypatch.setattr(replica, "FIRST_REST_SECONDS", 0.2)
    monkeypatch.setattr(replica, "LONGEST_REST_SECONDS", 0.2)


class Pair:
    """A primary and a replica of it."""

    def __init__(self, folder: Path) -> None:
        self.primary, self.replica = new_redis(folder, "no", "first"), new_redis(folder, "no", "second")
        self.primary.start()
        self.replica.start()
        self.port = self.primary.listen()
        for server in (self.primary, self.replica):
            with server.client() as client:
                client.config_set("repl-diskless-sync-delay", 0)  # a replica need not wait for others
                client.config_rewrite()
        self.replica.follow(self.port)

    def mend(self) -> None:
        """As at first, whatever a test did."""
        for server in (self.primary, self.replica):
            if server._process is None:
                server.start()
            server.thaw()
        self.primary.promote()
        with self.primary.client() as client:
            client.config_set("port", self.port)
        self.replica.follow(self.port)

    def end(self) -> None:
        self.primary.end()
        self.replica.end()


@pytest.fixture(scope="module")
def shared_pair() -> Iterator[Pair]:
    made = Pair(temporary_folder())
    yield made
    made.end()


@pytest.fixture
def pair(shared_pair: Pair, settings: Any) -> Iterator[Pair]:
    settings.CACHES = {**settings.CACHES, "boards": redis_cache(shared_pair.primary.made.url)}
    settings.REPLICA_URLS = [shared_pair.replica.made.url]
    yield shared_pair
    shared_pair.mend()


@pytest.fixture
def client(pair: Pair) -> Iterator[RedisClient]:
    made = RedisClient(pool_of(pair.primary.made.url, **OPTIONS))
    made.call("SET", "a", "1")
    made.call("WAIT", 1, 500)
    yield made
    made.reset()


@pytest.fixture
def reads(client: RedisClient) -> Iterator[ReplicaReads]:
    made = ReplicaReads(client.topology)
    yield made
    made.reset()


def answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> LaggingAnswer | None:
    return reads.run(get, [key], [])


def is_answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> bool:
    return answered(reads, get, key) is not None


def test_a_fresh_replica_answers_with_an_age_and_the_primary_is_not_asked(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
    with Beating(client):
        wait_until(lambda: is_answered(reads, get), "the replica answers")
        with pair.primary.client() as one:
            one.config_resetstat()
            found = answered(reads, get)
            asked = one.info("commandstats")

    assert found is not None
    assert found.answer == b"1"
    assert 0 <= found.age <= STALENESS
    assert not [name for name in asked if name.startswith("cmdstat_eval")]
    [seen] = reads.groups()
    assert [each.name for each in seen.replicas] == [str(pair.replica.made.socket)]


def test_a_script_that_writes_is_never_sent(reads: ReplicaReads, tmp_path: Path) -> None:
    (tmp_path / "set.lua").write_text("#!lua\nreturn redis.call('SET', KEYS[1], 'x')")
    (tmp_path / "lying.lua").write_text("#!lua flags=allow-oom\nreturn redis.call('SET', KEYS[1], 'x')")

    with pytest.raises(ValueError, match="set is not one that only reads"):
        reads.run(lua.load(tmp_path / "set.lua"), ["a"], [])
    assert reads.run(lua.load(tmp_path / "lying.lua"), ["a"], []) is None


def frozen(pair: Pair) -> None:
    pair.replica.freeze()


def killed(pair: Pair) -> None:
    pair.replica.kill()


def cut_off(pair: Pair) -> None:
    pair.primary.cut_off()


def emptied(pair: Pair) -> None:
    """And cut off: of one that goes on hearing its primary, the generation is missing."""
    pair.primary.cut_off()
    with pair.replica.client() as one:
        one.config_set("replica-read-only", "no")
        one.flushall()
        one.config_set("replica-read-only", "yes")


def promoted(pair: Pair) -> None:
    pair.replica.promote()


def follows_another(pair: Pair) -> None:
    """It is alive and in step, with somebody else."""
    other = new_redis(temporary_folder(), "no")
    other.start()
    pair.replica.follow(other.listen())
    other.end()


@pytest.mark.parametrize(
    "fault",
    [
        frozen,
        cut_off,
        emptied,
        promoted,
        *(pytest.param(fault, marks=pytest.mark.long) for fault in (killed, follows_another)),
    ],
)
def test_what_a_faulty_replica_says_does_not_count_after_the_staleness_and_costs_a_bounded_wait(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script, fault: Callable[[Pair], None]
) -> None:
    with Beating(client):
        wait_until(lambda: is_answered(reads, get), "the replica answers")
        fault(pair)
        begun = time.monotonic()
        client.call("SET", "a", "2")
        while time.monotonic() - begun < STALENESS + 1:
            asked_at = time.monotonic()
            found = answered(reads, get)
            assert time.monotonic() - asked_at < SOON
            if found is not None and found.answer != b"2":
                assert asked_at - begun <= STALENESS
                assert found.answer == b"1"
            time.sleep(0.01)
        assert not is_answered(reads, get)
        pair.mend()
        wait_until(lambda: is_answered(reads, get), "the replica answers again")
        found = answered(reads, get)
        assert found is None or found.answer == b"2"


def test_a_dead_replica_is_waited_for_once_and_then_left_alone(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "FIRST_REST_SECONDS", 60.0)
    monkeypatch.setattr(replica, "LONGEST_REST_SECONDS", 60.0)
    monkeypatch.setattr(replicas, "FIND_SECONDS", 60.0)
    with Beating(client):
        wait_until(lambda: is_answered(reads, get), "the replica answers")
        pair.replica.freeze()
        assert answered(reads, get) is None
        counted = replica_reads._children["no_answer",]._value.get()
        for _ in range(20):
            assert answered(reads, get) is None
        assert replica_reads._children["no_answer",]._value.get() == counted


def test_without_beats_nothing_counts_and_a_beat_from_the_future_is_no_beat(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
    with Beating(client):
        wait_until(lambda: is_answered(reads, get), "the replica answers")
    client.call("DEL", beats.key_in(None))
    wait_until(lambda: client.call("WAIT", 1, 100) == 1, "the replica has heard it")
    assert not is_answered(reads, get)

    seconds, _ = client.call("TIME")
    client.call("SET", beats.key_in(None), f"{int(seconds) * 1000 + 60_000} {client.fetch_identity()}")
    wait_until(lambda: client.call("WAIT", 1, 100) == 1, "the replica has heard it")
    begun = time.monotonic()
    while time.monotonic() - begun < 1:
        assert not is_answered(reads, get)


def test_while_the_primary_is_frozen_a_replica_answers_until_its_beat_is_too_old(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
    with Beating(client):
        wait_until(lambda: is_answered(reads, get), "the replica answers")
    beats.write_beats(client)
    wait_until(lambda: client.call("WAIT", 1, 100) == 1, "the replica has heard it")
    pair.primary.freeze()
    assert is_answered(reads, get)
    time.sleep(STALENESS)
    assert not is_answered(reads, get)


def test_a_beat_key_lies_in_the_slot_that_it_is_for() -> None:
    from foundation.redis.slots import slot_of

    for slot in (0, 5461, 16_383):
        assert slot_of(beats.key_in(slot)) == slot
    assert beats.key_in(None) == "{beat:0}:at"


def test_sentinels_tell_which_replicas_there_are(settings: Any, get: lua.Script) -> None:
    folder = temporary_folder()
    first = new_redis(folder, "no")
    first.start()
    watched = Watched(folder, first)
    try:
        watched.start()
        settings.CACHES = {**settings.CACHES, "boards": redis_cache(watched.url)}
        client = RedisClient(pool_of(watched.url, **OPTIONS))
        reads = ReplicaReads(client.topology)
        client.call("SET", "a", "1")
        with Beating(client):
            wait_until(lambda: is_answered(reads, get), "the replica answers")
            [group] = reads.groups()
            assert [each.name for each in group.replicas] == [f"127.0.0.1:{watched.ports[1]}"]
            before = watched.primary()
            watched.fail_over()
            watched.wait_for_another(before)
            watched.wait_until_watched()
            wait_until(lambda: is_answered(reads, get), "the old primary answers as a replica")
            assert [each.name for each in group.replicas] == [f"127.0.0.1:{watched.ports[0]}"]
        reads.reset()
        client.reset()
    finally:
        watched.end()
        first.end()


def test_each_primary_of_a_cluster_has_replicas_and_a_beat_of_its_own(
    settings: Any, get: lua.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = Nodes(temporary_folder(), replicas=True)
    try:
        nodes.start()
        settings.CACHES = {**settings.CACHES, "boards": redis_cache(nodes.url)}
        client = RedisClient(Cluster(nodes.url, **OPTIONS))
        reads = ReplicaReads(client.topology)
        monkeypatch.setattr(redis, "boards", lambda: client)
        monkeypatch.setattr(replicas, "reads", lambda: reads)
        for key in ("a", "b", "c"):
            client.call("SET", key, key)
        with Beating(client):
            for key in ("a", "b", "c"):
                wait_until(partial(is_answered, reads, get, key), "its replica answers")
                found = answered(reads, get, key)
                assert found is not None
                assert found.answer == key.encode()
            seen = look_at_each()
            assert sorted(each.name for each in seen) == sorted(nodes.addresses[3:])
            assert {each.primary for each in seen} == set(nodes.addresses[:3])
            assert all(each.age is not None and not each.problem for each in seen)

            gone: RedisServer = nodes.servers[3]
            gone.freeze()
            silent = [each for each in look_at_each() if each.age is None]
            assert [each.name for each in silent] == [nodes.addresses[3]]
            assert silent[0].problem == "it did not answer within 0.15 s"
            gone.thaw()
        reads.reset()
        client.reset()
    finally:
        nodes.end()
