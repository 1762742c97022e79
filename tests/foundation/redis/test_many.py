"""Several scripts or commands in one round trip: each runs once, and a refusal takes no answer from the others."""

import time
from pathlib import Path

import pytest
import redis as driver
from django.conf import settings

from foundation.redis import client as redis
from foundation.redis import connection as redis_connection
from foundation.redis import lua
from foundation.redis.client import IDENTITY_ARG, RedisAway, RedisClient, RedisRefused, RedisSilent, ScriptCall
from tests.fake_link import FakeLink

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["real", "fake"])
def link(request: pytest.FixtureRequest) -> RedisClient:
    redis.resync_client().reset()
    return redis.resync_client() if request.param == "real" else FakeLink()


def written(folder: Path, text: str) -> lua.Script:
    (folder / "one.lua").write_text(text)
    return lua.load(folder / "one.lua")


def test_each_script_runs_once_known_or_not_and_answers_come_in_the_order_of_the_calls(
    link: RedisClient, tmp_path: Path
) -> None:
    known = written(tmp_path, "return redis.call('INCRBY', KEYS[1], ARGV[1])")
    link.run(known, ["a"], [1])
    unknown = written(tmp_path, "return redis.call('INCR', KEYS[1]) -- nobody has sent this yet")

    echo = written(tmp_path, "return ARGV[1]")

    *answers, said = link.run_many(
        [ScriptCall(unknown, ["b"]), ScriptCall(known, ["a"], [5]), ScriptCall(unknown, ["b"]),
         ScriptCall(known, ["a"], [2]),
         ScriptCall(echo, [], [IDENTITY_ARG])]
    )  # fmt: skip  # as a list

    assert answers == [1, 6, 2, 8]
    assert said.decode() == link.fetch_identity()  # in whose memory it speaks
    assert link.run_many([]) == link.pipeline([]) == []


def test_a_refusal_is_raised_when_all_the_others_have_acted(link: RedisClient, tmp_path: Path) -> None:
    step = written(tmp_path, "return redis.call('INCR', KEYS[1])")
    link.call("SET", "b", "no number")

    with pytest.raises(RedisRefused):
        link.run_many([ScriptCall(step, ["a"]), ScriptCall(step, ["b"]), ScriptCall(step, ["c"])])

    assert link.pipeline([("GET", "a"), ("GET", "c")]) == [b"1", b"1"]
    assert link.run_many([ScriptCall(step, ["a"])]) == [2]  # no answer of the others is left in the connection


def test_fifty_are_one_round_trip(tmp_path: Path) -> None:
    link = redis.resync_client()
    step = written(tmp_path, "return redis.call('INCR', KEYS[1])")
    link.run(step, ["a"], [])
    with driver.Redis.from_url(settings.REDIS_URL) as client:
        before = client.info("stats")["total_reads_processed"]

        link.run_many([ScriptCall(step, [f"k{nth}"]) for nth in range(50)])

        assert client.info("stats")["total_reads_processed"] - before == 2  # ours, and this question


def test_while_redis_is_away_nothing_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = redis.boards()
    link.reset()
    monkeypatch.setattr(link._topology.servers()[0], "_is_known", lambda identity: False)
    step = written(tmp_path, "return redis.call('INCR', KEYS[1])")

    with pytest.raises(RedisAway):
        link.run_many([ScriptCall(step, ["a"])])

    link.reset()
    assert redis.resync_client().call("EXISTS", "a") == 0


@pytest.mark.parametrize("rested", [True, False])
def test_a_connection_that_the_server_closed_is_opened_anew_if_it_rested_else_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, rested: bool
) -> None:
    monkeypatch.setattr(redis_connection, "IDLE_CHECK_SECONDS", 0 if rested else 60)
    link = redis.resync_client()
    link.call("SET", "a", "1")

    with driver.Redis.from_url(settings.REDIS_URL) as other:
        other.client_kill_filter(_type="normal", skipme=True)

    if rested:
        assert link.call("INCR", "a") == 2
        return
    with pytest.raises(RedisSilent):
        link.call("INCR", "a")
    link.reset()
    assert link.call("GET", "a") == b"1"  # it was not sent a second time


def test_the_kernel_ends_the_waiting_for_an_answer() -> None:
    link = RedisClient(driver.ConnectionPool.from_url(settings.CACHES["boards"]["LOCATION"], socket_timeout=0.3))
    link.call("PING")
    begun = time.monotonic()

    with pytest.raises(RedisSilent):
        link.call("BLPOP", "nobody pushes here", 0)

    assert 0.29 < time.monotonic() - begun < 2
