"""What holds at every address: methods, HEAD, OPTIONS, other sites, ETags, faults of ours."""

import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
import time_machine
from django.db import OperationalError
from django.test import override_settings
from django.urls import re_path

from foundation import clock
from leaderboards import selectors
from leaderboards.api import unknown_path
from tests.leaderboards.api.conftest import Caller, Make, problem, take_redis_away

urlpatterns = [re_path(r"^api(?:/|$)", unknown_path)]  # a project without the API's documentation

TAGGED = (
    "",
    "/standings",
    "/players/a",
    "/players/a/around",
    "/players/a/percentile",
    "/players?ids=a",
    "/distribution",
    "/view?player=a&ids=a",
)
READS = (
    *("/boards", "/boards/1", "/boards/1/standings", "/boards/1/standings.csv", "/boards/1/players"),
    *("/boards/1/players/a", "/boards/1/players/a/around", "/boards/1/distribution", "/boards/1/view"),
    "/boards/1/players/a/percentile",
)
WRITES = {"/scores": "POST", "/players/a": "PUT", "/players/a/link-code": "POST"}


def test_other_methods_are_not_allowed(game: Caller) -> None:
    for path in (*READS, *WRITES):
        known = {WRITES.get(path, "GET"), *(["DELETE"] if path == "/boards/1/players/a" else [])}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} - known:
            response = game.send(method, path, {})
            problem(response, 405, "method_not_allowed")
            assert known <= set(response["Allow"].split(", ")), path


def test_a_parameter_that_an_address_does_not_have_is_refused_with_those_that_it_has(
    make_board: Make, game: Caller
) -> None:
    make_board()
    paths = game._client.get("/api/openapi.json").json()["paths"]
    for path, method, operation in ((path, *each) for path, operations in paths.items() for each in operations.items()):
        known = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
        there_are = ", ".join(f"`{name}`" for name in known)
        address = re.sub(r"{\w+}", "1", path).removeprefix("/api/v1")

        told = problem(game.send(method.upper(), f"{address}?Limit=5&dryrun=", {}), 422, "invalid_request")

        assert [each["parameter"] for each in told["errors"]] == ["Limit", "dryrun"], address
        assert told["detail"].startswith("There is no parameter 'Limit' here"), told
        assert (there_are or "; this address takes none.") in told["detail"], told
    crowd = "&".join(f"p{nth}=" for nth in range(1001))
    problem(game.get(f"/boards?{crowd}"), 422, "invalid_request")
    assert game.send("HEAD", "/boards?limits=1").status_code == 422
    assert game.send("OPTIONS", "/boards?limits=1").status_code == 204


def test_a_parameter_that_is_repeated_is_refused_unless_it_is_a_list(make_board: Make, game: Caller) -> None:
    make_board()
    paths = game._client.get("/api/openapi.json").json()["paths"]
    lists = 0
    for path, method, operation in ((path, *each) for path, operations in paths.items() for each in operations.items()):
        address = re.sub(r"{\w+}", "1", path).removeprefix("/api/v1")
        for each in (each for each in operation["parameters"] if each["in"] == "query"):
            name, is_list = each["name"], each["schema"].get("type") == "array"
            lists += is_list

            answer = game.send(method.upper(), f"{address}?{name}=2&{name}=3&{name}=3", {})

            if is_list:
                assert b"times" not in answer.content, address
                continue
            told = problem(answer, 422, "invalid_request")
            assert told["detail"] == f"`{name}` is there 3 times; send it once.", address
            assert [error["parameter"] for error in told["errors"]] == [name]
    assert lists == 4


def test_a_number_beyond_its_bound_is_refused_with_the_bound_however_long_it_is(field: int, anybody: Caller) -> None:
    at = f"/boards/{field}"
    for address, detail in {
        f"{at}/standings?offset=9007199254740993": "Input should be less than or equal to 9007199254740992",
        f"{at}/standings?offset={'9' * 20}": "Input should be less than or equal to 9007199254740992",
        f"/boards?offset={'9' * 5000}": "Input should be less than or equal to 9007199254740992",
        f"{at}/standings?limit=-{'9' * 30}": "Input should be greater than or equal to 1",
        f"{at}/players/a/around?radius={'9' * 30}": "Input should be less than or equal to 50",
        f"{at}/standings?limit=1e3": "Input should be a whole number in ASCII digits",
        f"/boards/{'9' * 18}": "Input should have at most 17 digits",
    }.items():
        told = problem(anybody.get(address), 422, "invalid_request")
        assert [error["detail"] for error in told["errors"]] == [detail], address
        assert told["detail"].endswith(f": {detail}."), told
    assert anybody.get(f"{at}/standings?offset={'0' * 30}1").status_code == 200


def test_an_unknown_path_is_a_problem_document(db: None, anybody: Caller) -> None:
    for path in ("/", "", "/nothing", "/boards/", "/boards/1/", "/boards/1/nothing", "/players/a/b/c"):
        problem(anybody.get(path), 404, "no_such_path")
        problem(anybody.send("POST", path, {}), 404, "no_such_path")
    for path in ("/api", "/api/", "/api/v2/boards", "/api/%00"):
        problem(anybody._client.get(path), 404, "no_such_path")


def test_an_unknown_path_names_the_documentation_where_there_is_one(anybody: Caller) -> None:
    assert problem(anybody._client.get("/api/v2"), 404, "no_such_path")["detail"] == (
        "There is nothing at /api/v2; see /api/docs."
    )
    with override_settings(ROOT_URLCONF=__name__):
        told = problem(anybody._client.get("/api/v2"), 404, "no_such_path")
    assert told["detail"] == "There is nothing at /api/v2."


def test_browsers_of_other_sites_may_read_what_is_public_without_credentials(make_board: Make, game: Caller) -> None:
    path = f"/boards/{make_board()}/standings"
    known = game.get(path, If_None_Match=game.get(path)["ETag"])

    assert (known.status_code, known["Access-Control-Allow-Origin"]) == (304, "*")
    for each in (path, "/boards", "/boards/999999", "/boards/1/standings?limit=0"):
        response = game.get(each)
        assert response["Access-Control-Allow-Origin"] == "*", each
        assert "Access-Control-Allow-Credentials" not in response
        assert {"ETag", "X-Request-ID"} <= set(response["Access-Control-Expose-Headers"].split(", "))
    for each in READS:
        response = game.send("OPTIONS", each, Origin="https://game.example", Access_Control_Request_Method="GET")
        assert response.status_code == 204, each
        assert response["Access-Control-Allow-Methods"] == "GET, HEAD"
        assert response["Access-Control-Allow-Headers"] == "If-None-Match, Cache-Control"
    for each, method in WRITES.items():
        preflight, write = game.send("OPTIONS", each), game.send(method, each, {})
        assert preflight.status_code == 204, each
        assert "Access-Control-Allow-Origin" not in preflight, each
        assert "Access-Control-Allow-Origin" not in write, each


def test_the_same_answer_has_the_same_tag_at_another_time_and_another_one_has_not(
    make_board: Make, game: Caller
) -> None:
    board = make_board(storage="sql", period="all_time", update="increment")
    game.score(board, a=1)
    tags = {path: game.get(path)["ETag"] for path in (f"/boards/{board}{each}" for each in TAGGED)}

    with time_machine.travel(clock.now() + timedelta(hours=1)):
        later = {path: game.send("HEAD", path) for path in tags}
        known = {path: game.get(path, If_None_Match=tag) for path, tag in tags.items()}
    game.score(board, a=1, b=1)
    changed = {path: game.get(path, If_None_Match=tag) for path, tag in tags.items()}

    for path, tag in tags.items():
        assert tag.startswith('W/"')
        assert (later[path].status_code, later[path].content, later[path]["ETag"]) == (200, b"", tag)
        assert (known[path].status_code, known[path].content, known[path]["ETag"]) == (304, b"", tag)
        assert changed[path].status_code == 200, path
        assert changed[path]["ETag"] != tag


def test_any_tag_of_the_header_may_match_and_what_redis_cannot_say_has_another_than_what_it_said(
    field: int, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/boards/{field}/standings"
    live = anybody.get(path)
    tag = live["ETag"]
    matching = (tag, f'"other", {tag}', tag.removeprefix("W/"), "*")

    for named, status in {**dict.fromkeys(matching, 304), 'W/"other"': 200, "nonsense": 200}.items():
        assert anybody.get(path, If_None_Match=named).status_code == status, named
    take_redis_away(monkeypatch)
    from_sql = anybody.get(path, If_None_Match=tag)

    assert from_sql.status_code == 200
    assert (live.json()["live"], from_sql.json()["live"]) == (True, False)
    assert from_sql.json()["rows"] == live.json()["rows"]


def test_a_fault_of_ours_is_told_without_its_cause(
    game: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for fault, status, code in (
        (RuntimeError("LeaderBoard_1_2026-47 broke"), 500, "server_error"),
        (OperationalError("connection to server at 10.0.0.1 refused"), 503, "unavailable"),
    ):
        monkeypatch.setattr(selectors, "board_by_seq", Mock(side_effect=fault))

        response = game.get("/boards/1/standings")

        problem(response, status, code)
        assert str(fault).encode() not in response.content
        assert (str(fault) in caplog.text) == (status == 500)
        assert ("Retry-After" in response) == (status == 503)
