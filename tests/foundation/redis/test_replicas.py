"""Reading from real replicas: what is fresh is answered, all else is the primary's to answer, and soon."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from foundation.conf import redis_cache
from foundation.monitoring.server_metrics import replica_reads
from foundation.redis import beats, lua, replica, replicas
from foundation.redis.client import RedisClient
from foundation.redis.replicas import ReplicaReads
from foundation.redis.sentinel import pool_of
from foundation.redis.server import Server
from tests.faults.servers import new_redis, temporary_folder
from tests.faults.world import wait_until
from tests.foundation.redis.lagging import OPTIONS, STALENESS, answered, get, is_answered, wanted

__all__ = ["get", "wanted"]

SOON = 10 * replica.WAIT_SECONDS  # a slow machine is not a fault


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


def test_a_fresh_replica_answers_with_an_age_and_the_primary_is_not_asked(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
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
    wait_until(lambda: is_answered(reads, get), "the replica answers")
    pair.replica.freeze()
    assert answered(reads, get) is None
    counted = replica_reads._children["no_answer",].value
    for _ in range(20):
        assert answered(reads, get) is None
    assert replica_reads._children["no_answer",].value == counted


@pytest.mark.parametrize("step", [-3, *(pytest.param(step, marks=pytest.mark.long) for step in (-7, 3))])
def test_a_replica_that_is_cut_off_is_not_believed_when_its_primarys_clock_is_set(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    wait_until(lambda: is_answered(reads, get), "the replica answers")
    pair.primary.cut_off()
    client.call("SET", "a", "2")
    begun = time.monotonic()
    set_clock(reads.groups()[0].primary, step, monkeypatch)

    while time.monotonic() - begun < abs(step) + 2 * STALENESS:
        found = answered(reads, get)
        assert found is None or time.monotonic() - begun <= STALENESS
        time.sleep(0.02)


def set_clock(server: Server, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the server tells a time that is so many seconds off."""
    exchange = server.exchange

    def told(commands: Sequence[Sequence[Any]]) -> list[Any]:
        answers = exchange(commands)
        times = [number for number, command in enumerate(commands) if command[0] == "TIME"]
        for number in times:
            answers[number] = [str(int(answers[number][0]) + step).encode(), answers[number][1]]
        return answers

    monkeypatch.setattr(server, "exchange", told)


def test_beats_that_began_anew_are_not_compared_with_those_before(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
    """A replica that is cut off has a greater number, of a series that is over."""
    wait_until(lambda: is_answered(reads, get), "the replica answers")
    for _ in range(50):
        client.call(*beats.writing(beats.key_in(None)))
    client.call("WAIT", 1, 500)
    pair.primary.cut_off()
    client.call("DEL", beats.key_in(None))
    client.call("SET", "a", "2")

    begun = time.monotonic()
    while time.monotonic() - begun < 2 * STALENESS:
        found = answered(reads, get)
        assert found is None or time.monotonic() - begun <= STALENESS
        time.sleep(0.02)


def test_after_a_pause_the_first_read_proves_its_age_by_a_beat_of_its_own(
    client: RedisClient, reads: ReplicaReads, get: lua.Script, settings: Any
) -> None:
    wait_until(lambda: is_answered(reads, get), "the replica answers")
    settings.REPLICA_STALENESS = 1.0
    time.sleep(1.2)

    wait_until(lambda: is_answered(reads, get), "the replica answers", replica.FIRST_REST_SECONDS)


def test_while_the_primary_is_frozen_a_replica_answers_until_its_beat_is_too_old(
    pair: Pair, client: RedisClient, reads: ReplicaReads, get: lua.Script
) -> None:
    wait_until(lambda: is_answered(reads, get), "the replica answers")
    pair.primary.freeze()
    assert is_answered(reads, get)
    time.sleep(STALENESS)
    assert not is_answered(reads, get)
