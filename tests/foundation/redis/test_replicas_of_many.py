"""Reading from replicas that sentinels, or the nodes of a cluster, tell of."""

from functools import partial
from typing import Any

import pytest

from foundation.conf import redis_cache
from foundation.redis import beats, lua, replicas
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from foundation.redis.cluster import Cluster
from foundation.redis.replicas import ReplicaReads, look_at_each
from foundation.redis.sentinel import pool_of
from foundation.redis.slots import slot_of
from tests.faults.nodes import Nodes
from tests.faults.sentinels import Watched
from tests.faults.servers import RedisServer, new_redis, temporary_folder
from tests.faults.world import wait_until
from tests.foundation.redis.lagging import OPTIONS, answered, get, is_answered, wanted

__all__ = ["get", "wanted"]


def test_a_beat_key_lies_in_the_slot_that_it_is_for() -> None:
    for slot in (0, 5461, 16_383):
        assert slot_of(beats.key_in(slot)) == slot
    assert beats.key_in(None) == "{beat:0}:number"


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
