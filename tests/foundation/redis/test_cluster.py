"""A cluster of three real primaries: who has which key, what is sent again, and what one that is away takes along."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as driver

from config.local import cluster as local
from foundation.redis import cluster as clustered
from foundation.redis import lua
from foundation.redis.addresses import read_many
from foundation.redis.client import RedisAway, RedisClient, RedisRefused, RedisSilent, ScriptCall
from foundation.redis.cluster import Cluster
from foundation.redis.commands import IDENTITY_ARG
from foundation.redis.slots import key_of, slot_of
from tests.faults.nodes import Nodes
from tests.faults.servers import temporary_folder
from tests.faults.world import wait_until

OPTIONS: dict[str, Any] = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
KEYS = ["a", "b", "c"]  # one in each third of the slots


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes(temporary_folder(), replicas=False)
    made.start()
    yield made
    made.end()


@pytest.fixture
def client(nodes: Nodes) -> Iterator[RedisClient]:
    for node in nodes.servers:
        with node.client() as one:
            one.flushall()
    made = RedisClient(Cluster(nodes.url, **OPTIONS))
    yield made
    made.reset()


@pytest.fixture
def step(tmp_path: Path) -> lua.Script:
    (tmp_path / "step.lua").write_text("#!lua\nreturn redis.call('INCR', KEYS[1])")
    return lua.load(tmp_path / "step.lua")


def numbers(client: RedisClient) -> list[Any]:
    return client.pipeline([("GET", key) for key in KEYS])


def test_a_key_is_in_the_slot_that_redis_says(nodes: Nodes) -> None:
    keys = [
        "a",
        "LeaderBoard_1_2026-11",
        "{LeaderBoard_1_2026-11}:gen",
        "{a}b",
        "{}b",
        "x{",
        "가",
        "{likes:k}:1:liked_by",
    ]
    with nodes.servers[0].client() as one:
        assert [slot_of(key) for key in keys] == [one.execute_command("CLUSTER", "KEYSLOT", key) for key in keys]
    assert slot_of(keys[1]) == slot_of(keys[2].encode())
    assert [slot_of(key) * 3 // local.SLOTS for key in KEYS] == [2, 0, 1]


def test_a_command_says_which_key_it_is_about() -> None:
    assert key_of(("GET", "a")) == key_of(("EVALSHA", "digest", 2, "a", "b")) == "a"
    assert key_of(("EVAL", "text", 0)) is key_of(("INFO", "memory")) is key_of(("FLUSHDB",)) is None


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis+cluster://h1,h2/0/1", "one database"),
        ("redis+cluster://h1?db=1", "one database"),
        ("redis+cluster://", "host"),
    ],
)
def test_a_url_that_cannot_be_meant_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_many(url)


def test_many_go_to_the_servers_of_their_keys_and_answers_come_in_their_order(
    client: RedisClient, nodes: Nodes, step: lua.Script
) -> None:
    calls = [ScriptCall(step, [key]) for key in (*KEYS, "a", "a")]

    assert client.run_many(calls) == [1, 1, 1, 2, 3]  # nobody had the script
    assert client.run_many(calls) == [4, 2, 2, 5, 6]
    assert numbers(client) == [b"6", b"2", b"2"]
    assert len({client.server_of(key).name for key in KEYS}) == 3
    assert sorted(each.name for each in client.each_server()) == sorted(nodes.addresses)
    assert client.missing_slots() == 0
    assert [sorted(group) for group in client.groups(["{x}1", "y", "{x}2"])] == [["{x}1", "{x}2"], ["y"]]


def test_each_server_fills_in_its_own_identity(client: RedisClient, tmp_path: Path) -> None:
    (tmp_path / "echo.lua").write_text("#!lua flags=allow-oom\nreturn ARGV[1]")
    echo = lua.load(tmp_path / "echo.lua")

    said = client.run_many([ScriptCall(echo, [key], [IDENTITY_ARG]) for key in KEYS])

    assert [each.decode() for each in said] == [client.server_of(key).fetch_identity() for key in KEYS]
    assert len(set(said)) == 3


def test_a_script_over_two_slots_is_refused_and_the_others_have_run(client: RedisClient, step: lua.Script) -> None:
    answers = client.try_many([ScriptCall(step, ["a", "b"]), ScriptCall(step, ["c"])])

    assert isinstance(answers[0], RedisRefused)
    assert answers[1] == 1


def move(nodes: Nodes, slot: int, target: int) -> None:
    """Give a slot without keys to another server, which only the two of them hear at first."""
    with nodes.servers[target].client() as one:
        name = one.execute_command("CLUSTER", "MYID")
    for server in nodes.servers:
        with server.client() as one:
            one.execute_command("CLUSTER", "SETSLOT", slot, "NODE", name)


def test_a_slot_that_moved_is_asked_at_its_new_server_once(client: RedisClient, nodes: Nodes, step: lua.Script) -> None:
    numbers(client)
    slot, before = slot_of("b"), client.server_of("b").name
    home = nodes.addresses.index(before)
    move(nodes, slot, (home + 1) % 3)
    try:
        assert client.run_many([ScriptCall(step, [key]) for key in KEYS]) == [1, 1, 1]
        assert client.server_of("b").name == nodes.addresses[(home + 1) % 3]
        assert client.call("GET", "b") == b"1"
        client.call("DEL", "b")
    finally:
        move(nodes, slot, home)
    assert client.call("GET", "b") is None


def test_a_slot_that_is_being_moved_answers_where_its_keys_are_or_is_away(
    client: RedisClient, nodes: Nodes, step: lua.Script
) -> None:
    numbers(client)
    slot, home = slot_of("b"), nodes.addresses.index(client.server_of("b").name)
    source, target = nodes.servers[home], nodes.servers[(home + 1) % 3]
    with source.client() as old, target.client() as new:
        new.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", old.execute_command("CLUSTER", "MYID"))
        old.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", new.execute_command("CLUSTER", "MYID"))
        assert client.run(step, ["b"], []) == 1  # ASK: a key that is not there is made at the new server
        assert client.call("GET", "b") == b"1"
        client.call("SET", "{b}other", "x")
        with pytest.raises(RedisAway):
            client.call("MGET", "b", "{b}third")  # TRYAGAIN: one of them is there
        client.call("DEL", "b")
        client.call("DEL", "{b}other")
        for one in (new, old):
            one.execute_command("CLUSTER", "SETSLOT", slot, "STABLE")


def test_a_script_does_not_follow_to_a_server_whose_clock_differs(
    client: RedisClient, nodes: Nodes, step: lua.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers(client)
    slot, home = slot_of("b"), nodes.addresses.index(client.server_of("b").name)
    server = next(each for each in client._topology.servers() if each.name == nodes.addresses[(home + 1) % 3])
    move(nodes, slot, (home + 1) % 3)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(server, "_clock_offset_ms", server._clock_offset_ms + clustered.SKEW_MS + 100)
            with pytest.raises(RedisAway):
                client.run(step, ["b"], [])
    finally:
        move(nodes, slot, home)
    assert client.call("GET", "b") is None


@pytest.mark.parametrize("fault", ["killed", "frozen"])
def test_one_that_is_away_takes_its_own_keys_along_and_no_others(
    client: RedisClient, nodes: Nodes, step: lua.Script, fault: str
) -> None:
    client.run_many([ScriptCall(step, [key]) for key in KEYS])
    home = nodes.addresses.index(client.server_of("b").name)
    node = nodes.servers[home]
    node.kill() if fault == "killed" else node.freeze()
    try:
        answers = client.try_many([ScriptCall(step, [key]) for key in KEYS])
        assert [answers[0], answers[2]] == [2, 2]
        assert isinstance(answers[1], (RedisAway, RedisSilent))
        with pytest.raises((RedisAway, RedisSilent)):
            client.run(step, ["b"], [])
        assert client.run(step, ["a"], []) == 3
    finally:
        node.start() if fault == "killed" else node.thaw()
        nodes.wait_until_whole()

    def comes_back() -> bool:
        client.reset()
        return not isinstance(client.try_many([ScriptCall(step, ["b"])])[0], (RedisAway, RedisSilent))

    wait_until(lambda: _answers(comes_back), "it is asked again")


def _answers(asked: Any) -> bool:
    try:
        return bool(asked())
    except (RedisAway, RedisSilent):
        return False


def test_without_any_node_it_is_away() -> None:
    client = RedisClient(Cluster("redis+cluster://127.0.0.1:1,127.0.0.1:2", **OPTIONS))

    for asked in (lambda: client.call("GET", "a"), client.each_server, lambda: client.deadline_ms("a")):
        with pytest.raises(RedisAway):
            asked()


def test_redis_py_sees_the_same_cluster(nodes: Nodes, client: RedisClient) -> None:
    client.call("SET", "a", "1")
    host, port = nodes.addresses[0].split(":")
    with driver.RedisCluster(host=host, port=int(port)) as other:
        assert other.get("a") == b"1"
