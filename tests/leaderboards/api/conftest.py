"""A caller of the API, and the keys and boards that its tests begin with."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Count, Func
from django.test import Client

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from foundation.redis.server import Server
from tests.foundation.factories import KeyFactory
from tests.leaderboards.factories import BoardFactory
from tests.playing import score
from tests.remembered import read_until_remembered

Make = Callable[..., int]


class Caller:
    """A game server, or with no key anybody at all."""

    def __init__(self, key: str | None = None) -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str, **headers: str) -> Any:
        return self.send("GET", path, "", **headers)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._client.generic(
            method, f"/api/v1{path}", content, "application/json", headers=self._headers | named
        )

    def submit(self, *entries: Any, query: str = "") -> Any:
        """The answer to these entries, which must be 200."""
        response = self.send("POST", f"/scores{query}", {"entries": list(entries)})
        assert response.status_code == 200, response.content
        return response.json()

    def score(self, board: int, **points: object) -> Any:
        """The answer to one entry for each player."""
        return self.submit(*({"board": board, "player": name, "points": each} for name, each in points.items()))


def with_key(*scopes: str, **wanted: Any) -> Caller:
    """A caller whose key has these scopes."""
    return Caller(KeyFactory.create(scopes=scopes, **wanted))


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The problem document, which must be one, of this status and code."""
    assert response["Content-Type"] == "application/problem+json", response.content
    told: dict[str, Any] = json.loads(response.content)
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["title"]
    assert told["detail"]
    assert told["type"] == "about:blank"
    return told


def wrong_parameter(response: Any) -> str:
    """The parameter for which the request is refused."""
    [error] = problem(response, 422, "invalid_request")["errors"]
    return str(error["parameter"])


def players(answer: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["rank"], row["player"]) for row in answer["rows"]]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment by the monotonic clock: time passes only where a test lets it, but for Redis's deadlines."""
    monkeypatch.setattr(RedisClient, "deadline_ms", lambda *_: int(1000 * time.time()) + 10_000)
    moment = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: moment[0])
    return moment


@pytest.fixture
def make_board(db: None) -> Make:
    """Makes a board with these settings and returns its number."""

    def make(name: str = "Wins", **settings: Any) -> int:
        return BoardFactory.create(name=name, **settings).seq

    return make


@pytest.fixture
def make_key(db: None) -> Callable[..., str]:
    """Makes a service key and returns its text."""

    def make(*scopes: str, **wanted: Any) -> str:
        return KeyFactory.create(**({"scopes": scopes} if scopes else {}), **wanted)

    return make


@pytest.fixture
def game(db: None) -> Caller:
    """A game server whose key opens everything."""
    return Caller(KeyFactory.create())


@pytest.fixture
def anybody() -> Caller:
    return Caller()


@pytest.fixture
def field(make_board: Make, game: Caller) -> int:
    """A board with nine players: p1 has 10 points, p9 has 90."""
    board = make_board()
    game.score(board, **{f"p{nth}": nth * 10 for nth in range(1, 10)})
    return board


def slow_count(field: str, **options: Any) -> Count:
    """PostgreSQL takes a second for ten rows."""
    return Count(Func(field, template="(%(expressions)s + 0 * length(pg_sleep(0.1)::text))"), **options)


def take_redis_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on Redis does not answer."""

    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(Server, "_take_connection", away)


@pytest.fixture
def known(anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Makes a board that this process has read so often that it asks SQL no more; no time passes any more."""

    def make(storage: str = "hybrid", path: str = "standings", **settings: Any) -> int:
        number = BoardFactory.create(**{"name": "Board", "storage": storage} | settings).seq
        score(number, {"ann": 3, "bob": 2})
        moment = clock.monotonic()
        monkeypatch.setattr(clock, "monotonic", lambda: moment)
        read_until_remembered(anybody, f"/boards/{number}/{path}", times=3)
        return number

    return make
