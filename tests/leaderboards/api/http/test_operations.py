"""What a query string means is remembered, and changes no answer and no refusal."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import RequestFactory
from ninja import NinjaAPI, Schema
from ninja.operation import Operation
from ninja.params.functions import Query

from leaderboards.api.http.operations import CACHED_QUERIES, LONGEST_CACHED_QUERY, OperationHandler
from tests.leaderboards.api.conftest import Caller, Make, players, problem, wrong_parameter

NONE = Query([])


def asked_of(view: Any, **wanted: Any) -> OperationHandler:
    operation = Operation("/at/{seq}", ["GET"], view, **wanted)
    operation.api = NinjaAPI(urls_namespace="asked")
    return OperationHandler(operation)


def echo(request: Any, seq: int, limit: int = 10, ids: list[str] = NONE) -> HttpResponse:
    return HttpResponse(f"{seq} {limit} {ids}")


def ask(asked: OperationHandler, query: str, seq: str = "1") -> Any:
    return asked(RequestFactory().get("/at/1", QUERY_STRING=query), {"seq": seq})


def test_the_same_query_is_read_once_and_the_path_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(echo)
    assert ask(asked, "limit=5").content == b"1 5 []"

    monkeypatch.setattr(asked._operation, "_get_values", Mock(side_effect=AssertionError))

    assert ask(asked, "limit=5", seq="2").content == b"2 5 []"


def test_refusals_stay_where_the_query_is_known(make_board: Make, game: Caller) -> None:
    seq = make_board()
    for _ in range(2):
        assert game.get(f"/boards/{seq}/standings?limit=5").status_code == 200
    assert wrong_parameter(game.get("/boards/x/standings?limit=5")) == "seq"
    assert wrong_parameter(game.get(f"/boards/{seq}/standings?limit=5&limit=5")) == "limit"
    assert wrong_parameter(game.get(f"/boards/{seq}/standings?limit=0")) == "limit"
    problem(Caller("sunwi_wrong").get(f"/boards/{seq}/standings?limit=5"), 401, "unauthenticated")


def test_a_query_in_another_encoding_is_another(make_board: Make, game: Caller) -> None:
    seq = make_board()
    game.score(seq, é=5, ann=3)

    def named(content_type: str) -> Any:
        return game._client.generic("GET", f"/api/v1/boards/{seq}/players?ids=%E9,ann", CONTENT_TYPE=content_type)

    for _ in range(2):
        assert wrong_parameter(named("application/json")) == "ids"
        assert players(named("application/json; charset=latin-1").json()) == [(1, "é"), (2, "ann")]


@pytest.mark.parametrize("query", ["player=%FF", "player=a&ids=%C3", "player=a&ids=b,%ED%A0%80", "player=a&%FF=1"])
def test_what_is_no_text_names_nobody(make_board: Make, game: Caller, query: str) -> None:
    seq = make_board()
    wrong = query.rpartition("&")[2].partition("=")[0]

    for _ in range(2):
        response = game.get(f"/boards/{seq}/view?{query}")
        assert wrong_parameter(response) == wrong
        assert "UTF-8" in response.json()["detail"]
    assert game.get(f"/boards/{seq}/view?player=%C3%BF&ids=%EF%BF%BD").status_code == 200


def test_what_is_remembered_is_bounded() -> None:
    asked = asked_of(echo)
    for nth in range(3 * CACHED_QUERIES):
        ask(asked, f"limit={nth}")
        assert len(asked._cached_values) <= CACHED_QUERIES
    assert asked._cached_values
    ask(asked, "ids=" + LONGEST_CACHED_QUERY * "a")
    assert max(map(len, asked._cached_values)) <= LONGEST_CACHED_QUERY


def refusing(request: Any) -> str:
    return "anybody"


class Body(Schema):
    points: int


def takes_a_body(request: Any, seq: int, body: Body) -> HttpResponse:
    return HttpResponse()


@pytest.mark.parametrize(("view", "wanted"), [(echo, {"auth": [refusing, refusing]}), (takes_a_body, {})])
def test_an_operation_that_needs_more_is_refused_as_the_site_starts(view: Any, wanted: dict[str, Any]) -> None:
    with pytest.raises(ImproperlyConfigured, match="/at/"):
        asked_of(view, **wanted)
    plain = SimpleNamespace(models=[], is_async=False, throttle_objects=[], stream_format=None, auth_callbacks=[])
    OperationHandler(plain)  # type: ignore[arg-type]  # as much of an operation as is looked at
    for name in ("is_async", "throttle_objects", "stream_format"):
        with pytest.raises(ImproperlyConfigured):
            OperationHandler(SimpleNamespace(**vars(plain) | {name: True, "path": "/at"}))  # type: ignore[arg-type]  # as much of an operation as is looked at
