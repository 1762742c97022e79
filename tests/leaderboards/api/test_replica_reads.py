"""Pages that a replica answers: told with their time, never older than REPLICA_STALENESS, and never of a player."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as driver
from django.test import Client

from foundation import clock
from foundation.models import KnownRedis
from foundation.monitoring import health, own_readings
from foundation.redis import client as redis
from foundation.redis import replicas
from foundation.sync.registering import register_server
from leaderboards.management.findings import State
from leaderboards.management.replica_checks import replica_servers
from leaderboards.models import Player
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.moderation.ban import ban
from leaderboards.services.sync.resync_periods import resync_due
from tests.faults.servers import RedisServer, new_redis, temporary_folder
from tests.faults.world import wait_until
from tests.leaderboards.api.conftest import Caller, Make, players, with_key
from tests.links import links, redis_known
from tests.ports import free_port
from tests.raw import ONE_SERVER, boards_redis

__all__ = ["links", "redis_known"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_known"), ONE_SERVER]

STALENESS = 50.0  # longer than a slow machine takes for what must happen within it


@pytest.fixture(scope="module")
def shared_replica() -> Iterator[RedisServer]:
    server = new_redis(temporary_folder(), "no")
    server.start()
    yield server
    server.end()


class Link:
    """A replica that follows the boards' Redis, or is held back as by a slow link: it hears nothing more."""

    def __init__(self, server: RedisServer, primary: driver.Redis) -> None:
        self.server, self._primary = server, primary

    def join(self) -> None:
        port = free_port()
        self._primary.config_set("repl-diskless-sync-delay", 0)
        self._primary.config_set("bind", "127.0.0.1")
        self._primary.config_set("port", port)
        self.server.follow(port)
        register_server()  # the first replica makes its primary another server

    def beat(self) -> None:
        """This process writes a beat, and the replica hears it."""
        wait_until(self._is_heard, "the replica hears of a beat", 20)

    def _is_heard(self) -> bool:
        [seen] = replicas.look_at_each()
        return seen.age is not None

    def cut_off(self) -> None:
        """From now on it hears nothing."""
        self._primary.config_set("port", 0)
        self._primary.client_kill_filter(_type="replica")


@pytest.fixture
def link(shared_replica: RedisServer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Link]:
    settings.REPLICA_STALENESS, settings.REPLICA_URLS = STALENESS, [shared_replica.made.url]
    monkeypatch.setattr(replicas, "BEAT_SECONDS", 0.2)
    with boards_redis() as primary:
        made = Link(shared_replica, primary)
        made.join()
        replicas.reads().reset()
        made.beat()
        yield made
        made.cut_off()
        replicas.reads().reset()


@pytest.fixture
def held(link: Link, make_board: Make, game: Caller, anybody: Caller) -> int:
    """A board whose replica knows ann with 1 point, while ann has 3 and bob 2 by now."""
    board = make_board()
    game.score(board, ann=1)
    anybody.get(f"/boards/{board}/standings")
    link.beat()
    link.cut_off()
    game.score(board, ann=3, bob=2)
    return board


def read(caller: Caller, board: int, path: str = "standings") -> Any:
    return caller.get(f"/boards/{board}/{path}").json()


def is_old(answer: Any) -> bool:
    rows = answer.get("rows") or answer.get("list")
    return [(row["player"], row["points"]) for row in rows] == [("ann", 1)]


def test_a_page_for_anybody_is_the_replicas_with_its_time_until_it_is_too_old(
    held: int, anybody: Caller, settings: Any
) -> None:
    begun = clock.now()

    answer = read(anybody, held)

    assert is_old(answer)
    assert answer["live"] is True
    assert answer["total"] == 1
    assert begun - timedelta(seconds=STALENESS) < datetime.fromisoformat(answer["as_of"]) < begun
    settings.REPLICA_STALENESS = (begun - datetime.fromisoformat(answer["as_of"])).total_seconds()
    assert players(read(anybody, held)) == [(1, "ann"), (2, "bob")]


def test_the_distribution_and_a_page_by_cursor_are_the_replicas_too(held: int, anybody: Caller) -> None:
    assert read(anybody, held, "distribution")["total"] == 1
    assert is_old(read(anybody, held, "view"))
    first = read(anybody, held, "standings?limit=1")
    assert is_old(first)


@pytest.mark.parametrize(
    "path", ["players/ann", "players?ids=ann", "players/ann/around", "view?player=ann", "view?ids=ann"]
)
def test_what_is_about_a_player_is_the_primarys(held: int, anybody: Caller, path: str) -> None:
    answer = read(anybody, held, path)

    rows = answer.get("rows") or answer.get("named") or [answer.get("me") or answer]
    assert [row["points"] for row in rows if row["player"] == "ann"] == [3]
    if "list" in answer:
        assert players({"rows": answer["list"]}) == [(1, "ann"), (2, "bob")]


def test_who_may_write_scores_sees_their_own_at_once_and_who_may_only_read_sees_the_replicas(held: int) -> None:
    assert players(read(with_key("scores:write"), held)) == [(1, "ann"), (2, "bob")]
    assert is_old(read(with_key("boards:read"), held))


def test_without_the_setting_the_replica_is_not_asked(held: int, anybody: Caller, settings: Any) -> None:
    settings.REPLICA_STALENESS = 0

    assert players(read(anybody, held)) == [(1, "ann"), (2, "bob")]


def test_a_banned_player_is_hidden_from_a_replicas_page_as_from_any(held: int, anybody: Caller) -> None:
    assert is_old(read(anybody, held))

    ban([Player.objects.get(external_id="ann").pk], "cheating", clock.now(), None)

    assert read(anybody, held)["rows"] == []


def page(held: int, cookies: str = "") -> str:
    client = Client()
    if cookies:
        client.cookies["player"] = cookies
    return str(client.get(f"/boards/{held}/").content.decode())


def test_the_page_of_a_board_is_the_replicas_for_nobody_in_particular_and_the_primarys_for_a_player(held: int) -> None:
    assert "bob" not in page(held)
    assert "bob" in page(held, "ann")
    assert "bob" not in page(held)
    assert "bob" in page(held, "bob")


def test_another_generation_is_asked_of_the_primary(held: int, anybody: Caller) -> None:
    KnownRedis.objects.all().delete()
    KnownRedis._seen.clear()
    register_server()
    resync_due(clock.now())
    redis.boards().reset()
    clear_period_cache()  # as a second later

    assert players(read(anybody, held)) == [(1, "ann"), (2, "bob")]


def found(at: datetime) -> list[tuple[State, str]]:
    return [(each.state, each.detail) for each in replica_servers(at)]


def test_doctor_readiness_and_metrics_say_which_replicas_are_used_and_how_old_they_are(link: Link) -> None:
    name = str(link.server.made.socket)
    link.beat()
    [(state, told)] = found(clock.now())
    assert state is State.OK
    assert told.startswith(f"{name} is used: at most ")
    assert not health.replica_problems()
    [reading] = own_readings.replicas_read()
    assert reading.name == "sunwi_replica_age_seconds"
    assert reading.labels == ("replica", name)
    assert 0 <= reading.value <= STALENESS

    link.server.freeze()
    try:
        [(state, told)] = found(clock.now())
        problems = health.replica_problems()
        [reading] = own_readings.replicas_read()
    finally:
        link.server.thaw()
    assert state is State.WAITING
    assert told == f"{name} is not used: it did not answer within 0.15 s"
    assert problems == [f"the replica at {name} is not read from: it did not answer within 0.15 s"]
    assert reading.value == -1


def test_a_setting_without_any_replica_is_told(settings: Any, links: None) -> None:
    settings.REPLICA_STALENESS, settings.REPLICA_URLS = 2, []
    replicas.reads().reset()

    [(state, told)] = found(clock.now())

    assert state is State.WAITING
    assert told.endswith("is up, or none is named in REPLICA_URLS: pages come from the primary")
    assert len(health.replica_problems()) == 1
    assert list(own_readings.replicas_read()) == []


def test_while_it_is_off_nobody_asks_replicas_anything(settings: Any) -> None:
    assert settings.REPLICA_STALENESS == 0
    assert found(clock.now()) == []
    assert health.replica_problems() == []
    assert list(own_readings.replicas_read()) == []
