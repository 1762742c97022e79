"""A server that was made a replica, and a primary again, is another: no script answers there, no link trusts it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis as driver

import foundation
import leaderboards
import likes
from foundation.redis import server as one_server
from foundation.redis.client import RedisAway, RedisClient, RedisRefused, RedisSilent
from foundation.redis.info import identity_of
from foundation.sync.redis_state import script_loader
from tests.faults.servers import RedisServer, new_redis, temporary_folder

APPS = [Path(app.__path__[0]) for app in (foundation, leaderboards, likes)]
FILES = sorted(path for app in APPS for path in app.rglob("scripts/*.lua"))
INCLUDED = {
    "guard", "deadline", "batch", "members_and_scores", "place", "places", "standings", "evaluate", "ids",
    "standings_reply", "rows", "members", "state", "view_place", "view_total", "fence", "questions",
}  # fmt: skip  # as a list
SCRIPTS = [path for path in FILES if path.stem not in INCLUDED]
RUNS_WHEN_FULL = "#!lua flags=allow-oom"
NOWHERE = 1  # a port on which nobody listens: who follows it is a replica all the same


def sent(path: Path) -> str:
    return script_loader(path.parent)(path.stem).text


@pytest.fixture(scope="module")
def own() -> Iterator[RedisServer]:
    server = new_redis(temporary_folder(), "no")
    server.start()
    yield server
    server.end()


@pytest.fixture
def server(own: RedisServer) -> Iterator[RedisServer]:
    """A primary with no limit of memory."""
    yield own
    own.promote()
    with own.client() as client:
        client.config_set("maxmemory", 0)


def demote(server: RedisServer) -> None:
    with server.client() as client:
        client.replicaof("127.0.0.1", NOWHERE)


def refusal(client: driver.Redis, path: Path) -> str:
    """What is said of a script without keys and arguments, which most of them stumble over."""
    try:
        client.eval(sent(path), 0)
    except driver.ResponseError as error:
        return type(error).__name__
    return ""


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parents[1].parent.name}-{path.stem}")
def test_every_script_says_what_it_is_and_no_replica_runs_it(server: RedisServer, path: Path) -> None:
    kind = sent(path).splitlines()[0]
    with server.client() as client:
        client.config_set("maxmemory", 1)
        when_full = refusal(client, path)
    demote(server)

    with server.client() as client:
        assert refusal(client, path) == "ReadOnlyError"
    assert kind in ("#!lua", RUNS_WHEN_FULL)
    assert (when_full == "OutOfMemoryError") is (kind == "#!lua")


def test_what_is_included_says_nothing_of_its_kind() -> None:
    assert not [path.name for path in FILES if path not in SCRIPTS and "#!" in path.read_text()]


def link_to(server: RedisServer, *known: str) -> RedisClient:
    pool = driver.ConnectionPool.from_url(server.made.url, socket_timeout=2)
    return RedisClient(pool, known.__contains__ if known else None)


def identity(server: RedisServer) -> str:
    with server.client() as client:
        return identity_of({name: str(value) for name, value in client.info().items()})


def test_each_promotion_makes_another_of_it_and_a_replica_is_nobody(server: RedisServer) -> None:
    before = identity(server)
    demote(server)
    as_replica = identity(server)
    server.promote()

    assert as_replica == ""
    assert "" != before != identity(server) != ""
    assert before.partition(":")[0] == identity(server).partition(":")[0]


def test_who_hears_that_it_is_a_replica_greets_anew_and_finds_it_away(server: RedisServer) -> None:
    link = link_to(server)
    with server.client() as other:
        link.call("PING")
        demote(server)

        with pytest.raises(RedisRefused, match="read only replica"):
            link.run(script_loader(APPS[1] / "stores/redis/scripts")("read"), ["gen", "a", "b", "c"], [1])

        with pytest.raises(RedisAway):
            link.call("GET", "a")
        assert [client["cmd"] for client in other.client_list()] == ["client|list"]  # nothing was left open


def test_who_was_under_way_meanwhile_keeps_no_connection_either(server: RedisServer) -> None:
    link = link_to(server, identity(server))
    link.call("SET", "a", "1")
    [behind] = link._topology.servers()
    wire = behind._take_connection()
    behind._idle.drop_all()

    behind._idle.keep(wire)

    assert not wire.connection.is_connected
    assert link.call("GET", "a") == b"1"


@pytest.mark.parametrize("knows", [True, False])
def test_one_that_was_a_replica_between_two_calls_is_found_out_on_the_connection_that_stood_by(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    """Redis closes no client's connection when it is made a replica or a primary."""
    link = link_to(server, *([identity(server)] if knows else []))
    before = link.fetch_identity()
    link.call("SET", "a", "1")
    demote(server)
    server.promote()
    monkeypatch.setattr(one_server, "IDENTITY_CHECK_SECONDS", 0.0)

    with pytest.raises(RedisSilent):
        link.call("GET", "a")

    if knows:
        with pytest.raises(RedisAway):
            link.call("GET", "a")
    else:  # whoever settles makes it known
        assert link.call("GET", "a") == b"1"
        assert link.fetch_identity() == identity(server) != before


def test_two_links_that_were_made_at_once_over_one_pool_both_know_who_was_greeted(server: RedisServer) -> None:
    pool = driver.ConnectionPool.from_url(server.made.url, socket_timeout=2)
    first, second = RedisClient(pool), RedisClient(pool)

    assert first.fetch_identity() == second.fetch_identity() == identity(server)
