"""A primary behind real sentinels: it is asked where it is, and asked anew when it refuses, is gone, or was demoted."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection
from redis.connection import SSLConnection
from redis.exceptions import ConnectionError as DriverConnectionError

from config.components import redis_urls
from foundation.conf import redis_cache
from foundation.monitoring import checks, health
from foundation.redis import client as redis
from foundation.redis import sentinel as asked
from foundation.redis import server as one_server
from foundation.redis.addresses import read_many
from foundation.redis.client import RedisAway, RedisClient, RedisSilent
from foundation.redis.sentinel import SentinelPool, pool_of
from tests.faults.sentinels import Watched, is_primary
from tests.faults.servers import RedisServer, new_redis, temporary_folder
from tests.faults.world import wait_until

OPTIONS = {"socket_timeout": 2.0, "socket_connect_timeout": 1.0}


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    folder = temporary_folder()
    first = new_redis(folder, "no")
    first.start()
    made = Watched(folder, first)
    made.start()
    yield made
    made.end()
    first.end()


_made: list[RedisClient] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Clients leave no connection behind."""
    yield
    while _made:
        _made.pop().reset()


def client_of(watched: Watched, *known: str, **options: Any) -> RedisClient:
    made = RedisClient(pool_of(watched.url, **{**OPTIONS, **options}), known.__contains__ if known else None)
    _made.append(made)
    return made


def eventually(client: RedisClient, *command: str) -> Any:
    """The answer of the first call that is answered."""
    give_up = time.monotonic() + 60
    while True:
        try:
            return client.call(*command)
        except (RedisAway, RedisSilent):
            assert time.monotonic() < give_up
            client.reset()


def address(watched: Watched, server: RedisServer) -> str:
    return f"127.0.0.1:{watched.ports[watched.servers.index(server)]}"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis+sentinel://h1,h2", "lacks the name of the primary"),
        ("redis+sentinel://h1,,h2/boards", "a host is missing"),
        ("redis+sentinel://h1:port/boards", "'h1:port' is no host with a port"),
        ("redis+sentinel://h1/boards?db=x", "db is 'x'"),
        ("redis+else://h1/boards", "the scheme is unknown"),
    ],
)
def test_a_url_that_cannot_be_meant_is_refused_with_what_is_wrong(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_many(url)


def test_a_url_says_where_the_sentinels_are_and_what_their_primary_is_called() -> None:
    named = read_many("rediss+sentinel://ann:p%40ss@h1,[::1]:7,h3:8/boards?db=3&sentinel_password=x&ssl_cert_reqs=none")

    assert named.hosts == (("h1", 26379), ("::1", 7), ("h3", 8))
    assert (named.name, named.user, named.password) == ("boards", None, "x")
    pool = SentinelPool.from_url("rediss+sentinel://ann:p%40ss@h1/boards?db=3")
    assert (pool.connection_kwargs["db"], pool.connection_kwargs["password"]) == (3, "p@ss")
    assert issubclass(pool.connection_class, SSLConnection)


def test_the_primary_is_talked_to_and_named(watched: Watched) -> None:
    client = client_of(watched)

    assert client.call("SET", "a", "1") == b"OK"
    assert client.call("GET", "a") == b"1"

    assert client.name == address(watched, watched.primary())
    assert [each.name for each in client.each_server()] == [client.name]
    assert client.server_of("any key") is client


def test_django_s_cache_is_made_for_the_same_url(watched: Watched) -> None:
    from django_redis.cache import RedisCache

    made = redis_cache(watched.url)
    cache = RedisCache(made["LOCATION"], {"OPTIONS": made["OPTIONS"]})

    cache.set("b", {"c": 1})

    assert cache.get("b") == {"c": 1}
    pool = cache.client.get_client().connection_pool
    assert pool.sentinels.primary is not None
    pool.disconnect()


def test_a_sentinel_that_is_frozen_or_gone_is_not_waited_for_again(watched: Watched) -> None:
    client = client_of(watched)
    watched.sentinels[0].freeze()
    watched.sentinels[1].kill()
    try:
        assert client.call("PING") in (b"PONG", "PONG")
        assert client._topology.servers()[0]._pool.sentinels._order[0][1] == watched.sentinels[2].made.port  # type: ignore[attr-defined]  # its pool asks sentinels
        identity = client.fetch_identity()
        assert identity
    finally:
        watched.sentinels[0].thaw()
        watched.sentinels[1].start()


def test_without_any_sentinel_it_is_away_and_open_connections_go_on(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(watched)
    client.call("SET", "a", "1")
    for sentinel in watched.sentinels:
        sentinel.freeze()
    try:
        monkeypatch.setattr(asked, "LOOK_SECONDS", 0.0)
        assert client.call("GET", "a") == b"1"
        with pytest.raises(RedisAway):
            client_of(watched).call("GET", "a")
    finally:
        for sentinel in watched.sentinels:
            sentinel.thaw()


def test_a_name_that_no_sentinel_knows_is_away(watched: Watched) -> None:
    pool = pool_of(watched.url.replace("/boards", "/others"), **OPTIONS)

    with pytest.raises(RedisAway):
        RedisClient(pool).call("PING")
    with pytest.raises(DriverConnectionError, match="No sentinel tells where the primary others is"):
        pool.sentinels.find()  # type: ignore[attr-defined]  # it is one of ours


def test_a_primary_that_is_told_to_step_back_is_left_and_the_next_one_is_unknown(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = watched.primary()
    identity = client_of(watched).fetch_identity()
    client = client_of(watched, identity)
    client.call("SET", "a", "1")

    watched.fail_over()
    watched.wait_for_another(before)
    wait_until(lambda: not is_primary(before), "the old one was told")

    trusting = client_of(watched)
    assert eventually(trusting, "GET", "a") == b"1"
    assert trusting.fetch_identity() != identity
    monkeypatch.setattr(one_server, "IDENTITY_CHECK_SECONDS", 0.0)
    with pytest.raises((RedisAway, RedisSilent)):
        client.call("GET", "a")
    with pytest.raises(RedisAway):
        client.call("GET", "a")
    watched.wait_until_watched()


def test_a_primary_that_is_killed_is_away_until_another_is_promoted(watched: Watched) -> None:
    client = client_of(watched)
    before = watched.primary()
    client.call("SET", "a", "2")
    wait_until(lambda: client.call("WAIT", 1, 500) == 1, "the replica has it")
    before.kill()

    with pytest.raises((RedisAway, RedisSilent)):
        client.call("SET", "a", "3")
    after = watched.wait_for_another(before)

    assert eventually(client, "GET", "a") == b"2"
    assert client.name == address(watched, after)
    before.start()
    watched.wait_until_watched()


def test_a_process_that_still_reaches_an_isolated_old_primary_leaves_it(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old one closes no connection and is primary in its own eyes, so only the sentinels know better."""
    isolated = new_redis(temporary_folder(), "no")
    isolated.start()
    port, client = isolated.listen(), client_of(watched)
    sentinels = client._topology.servers()[0]._pool.sentinels  # type: ignore[attr-defined]  # its pool asks sentinels
    with monkeypatch.context() as patched:
        patched.setattr(sentinels, "_ask", lambda *_: ("127.0.0.1", port))
        client.call("SET", "where", "isolated")
    assert client.call("GET", "where") == b"isolated"

    monkeypatch.setattr(asked, "LOOK_SECONDS", 0.0)

    assert client.call("GET", "where") is None
    assert client.name == address(watched, watched.primary())
    isolated.end()


def test_celery_finds_the_same_primary(watched: Watched) -> None:
    url = redis_urls.neighbour(watched.url, 2)
    with Connection(redis_urls.for_broker(url), transport_options=redis_urls.broker_options(url)) as broker:
        queue = broker.SimpleQueue("told")
        queue.put("hello")
        got = queue.get(timeout=10)
        assert got.payload == "hello"
        got.ack()
        queue.close()
    with watched.primary().client() as client:
        assert "db2" in client.info("keyspace")


def checked() -> list[str | None]:
    return [each.id for each in checks.boards_redis_keeps_what_it_has(None)]


def test_readiness_and_the_checks_name_the_primary(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CACHES = {**settings.CACHES, "boards": redis_cache(watched.url)}
    client = client_of(watched)
    client.call("PING")
    monkeypatch.setattr(redis, "boards", lambda: client)
    wait_until(lambda: checked() == ["sunwi.W004"], "the replica follows, and its primary would go on without it")

    primary = watched.primary()
    primary.freeze()
    try:
        can_serve, degraded = health._check_redis()
    finally:
        primary.thaw()
    assert not can_serve
    assert degraded == [f"Redis at {address(watched, primary)} {health.AWAY}"]
