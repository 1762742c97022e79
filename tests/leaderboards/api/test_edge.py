"""What holds at every address: methods, HEAD, OPTIONS, other sites, faults of ours."""

import logging

import pytest
from django.db import OperationalError

from leaderboards import selectors
from tests.leaderboards.api.conftest import Caller, Make, problem

READS = (
    *("/boards", "/boards/1", "/boards/1/standings", "/boards/1/standings.csv", "/boards/1/players"),
    *("/boards/1/players/a", "/boards/1/players/a/around", "/boards/1/distribution"),
)
WRITES = {"/scores": "POST", "/players/a": "PUT", "/players/a/link-code": "POST"}


@pytest.mark.parametrize("path", [*READS, *WRITES])
def test_other_methods_are_not_allowed(db: None, game: Caller, path: str) -> None:
    known = {WRITES.get(path, "GET"), *(["DELETE"] if path == "/boards/1/players/a" else [])}

    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} - known:
        response = game.send(method, path, {})
        problem(response, 405, "method_not_allowed")
        assert known <= set(response["Allow"].split(", "))


@pytest.mark.parametrize("path", ["/", "", "/nothing", "/boards/", "/boards/1/", "/boards/1/nothing", "/players/a/b/c"])
def test_an_unknown_path_is_a_problem_document(db: None, anybody: Caller, path: str) -> None:
    problem(anybody.get(path), 404, "no_such_path")
    problem(anybody.send("POST", path, {}), 404, "no_such_path")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/boards", "/api/%00"])
def test_beside_the_version_there_is_nothing_either(anybody: Caller, path: str) -> None:
    problem(anybody._client.get(path), 404, "no_such_path")


def test_head_answers_like_get_without_a_body(make_board: Make, anybody: Caller) -> None:
    path = f"/boards/{make_board()}/standings"

    head = anybody.send("HEAD", path)

    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == anybody.get(path)["ETag"]


class TestOtherSites:
    """Browsers of other sites may read what is public, without credentials."""

    def test_public_reads_are_open_to_them(self, make_board: Make, anybody: Caller) -> None:
        for path in (f"/boards/{make_board()}/standings", "/boards", "/boards/999999", "/boards/1/standings?limit=0"):
            response = anybody.get(path)
            assert response["Access-Control-Allow-Origin"] == "*", path
            assert "Access-Control-Allow-Credentials" not in response
            assert "ETag" in response["Access-Control-Expose-Headers"]

    def test_a_304_is_open_to_them_too(self, make_board: Make, anybody: Caller) -> None:
        path = f"/boards/{make_board()}/standings"

        response = anybody.get(path, If_None_Match=anybody.get(path)["ETag"])

        assert (response.status_code, response["Access-Control-Allow-Origin"]) == (304, "*")

    @pytest.mark.parametrize("path", READS)
    def test_they_may_ask_before_a_conditional_read(self, anybody: Caller, path: str) -> None:
        response = anybody.send("OPTIONS", path, Origin="https://game.example", Access_Control_Request_Method="GET")

        assert response.status_code == 204
        assert response["Access-Control-Allow-Methods"] == "GET, HEAD"
        assert response["Access-Control-Allow-Headers"] == "If-None-Match"

    @pytest.mark.parametrize("path", WRITES)
    def test_writes_are_closed_to_them(self, db: None, game: Caller, path: str) -> None:
        preflight = game.send("OPTIONS", path)
        write = game.send(WRITES[path], path, {})

        assert preflight.status_code == 204
        for response in (preflight, write):
            assert "Access-Control-Allow-Origin" not in response


class TestFaults:
    """What goes wrong on our side."""

    def test_a_fault_is_told_without_its_cause_and_logged_with_it(
        self, make_board: Make, anybody: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(*_: object) -> None:
            raise RuntimeError("LeaderBoard_1_2026-47 broke")

        monkeypatch.setattr(selectors, "standings", fail)
        with caplog.at_level(logging.ERROR):
            response = anybody.get(f"/boards/{make_board()}/standings")

        problem(response, 500, "server_error")
        assert b"LeaderBoard" not in response.content
        assert "LeaderBoard_1_2026-47 broke" in caplog.text

    def test_a_database_that_is_away_is_503(self, db: None, anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OperationalError("connection to server at 10.0.0.1 refused")

        monkeypatch.setattr(selectors, "board_by_seq", fail)
        response = anybody.get("/boards/1/standings")

        problem(response, 503, "unavailable")
        assert b"10.0.0.1" not in response.content
        assert int(response["Retry-After"]) >= 1
