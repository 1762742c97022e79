"""Boards, keys and a caller for the API's tests: each made by the test that needs it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from foundation import clock, service_keys
from leaderboards.services.boards import apply_boards

Make = Callable[..., int]
STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
ANY_SCOPES = ("scores:write", "players:write", "boards:read")


class Caller:
    """A game server, or with no key anybody at all."""

    def __init__(self, key: str | None = None) -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str, **headers: str) -> Any:
        return self._client.get(f"/api/v1{path}", headers=self._headers | _named(headers))

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        return self._client.generic(
            method, f"/api/v1{path}", content, "application/json", headers=self._headers | _named(headers)
        )

    def submit(self, *entries: Any, query: str = "") -> Any:
        """The answer to these entries, which must be 200."""
        response = self.send("POST", f"/scores{query}", {"entries": list(entries)})
        assert response.status_code == 200, response.content
        return response.json()


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The problem document, which must be one, of this status and code."""
    assert response["Content-Type"] == "application/problem+json", response.content
    told: dict[str, Any] = json.loads(response.content)
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["title"]
    assert told["detail"]
    assert told["type"] == "about:blank"
    return told


def players(answer: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["rank"], row["player"]) for row in answer["rows"]]


@pytest.fixture
def make_board(db: None) -> Make:
    """Makes a board with these settings and returns its number."""

    def make(name: str = "Wins", **settings: Any) -> int:
        return apply_boards([{"name": name, **settings}], clock.now())[name]

    return make


@pytest.fixture
def make_key(db: None) -> Callable[..., str]:
    """Makes a service key and returns its text."""

    def make(*scopes: str, boards: list[int] | None = None, name: str = "game") -> str:
        return service_keys.make(name, scopes or ANY_SCOPES, boards)[1]

    return make


@pytest.fixture
def game(make_key: Callable[..., str]) -> Caller:
    """A game server whose key opens everything."""
    return Caller(make_key())


@pytest.fixture
def anybody() -> Caller:
    return Caller()


@pytest.fixture
def field(make_board: Make, game: Caller) -> Callable[..., int]:
    """A board with nine players: p1 has 10 points, p9 has 90."""

    def make(**settings: Any) -> int:
        board = make_board(**settings)
        game.submit(*({"board": board, "player": f"p{nth}", "points": nth * 10} for nth in range(1, 10)))
        return board

    return make
