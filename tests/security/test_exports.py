"""Whoever asks for many long files at once, or for pages without end, leaves the site to everybody else."""

import gc
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from tests.leaderboards.api.conftest import Caller, Make, problem
from tests.leaderboards.factories import AdminFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(make_board: Make, game: Caller, settings: LazySettings) -> str:
    settings.EXPORTS_AT_ONCE = 2
    board = make_board(storage="sql")
    game.score(board, alice=5)
    return f"/boards/{board}/standings.csv"


def test_no_more_exports_run_at_once_than_may_and_others_are_told_to_come_back(path: str, anybody: Caller) -> None:
    held = [anybody.get(path) for _ in range(2)]

    refused = anybody.get(path)
    assert refused["Retry-After"] == "5"
    problem(refused, 503, "exports_busy")
    assert b"alice" in b"".join(held[0])
    assert anybody.get(path).status_code == 200


def test_the_file_of_the_audit_log_takes_its_turn_with_the_others(path: str, anybody: Caller, client: Client) -> None:
    client.force_login(AdminFactory.create())
    log = "/admin/foundation/auditentry/export/"
    held: list[Any] = [anybody.get(path), client.get(log)]

    assert [each.status_code for each in held] == [200, 200]
    assert client.get(log).status_code == 503
    problem(anybody.get(path), 503, "exports_busy")
    assert b"entry,at,act" in b"".join(held[1])
    assert client.get(log).status_code == 200


@pytest.mark.parametrize("leave", ["close", "forget"])
def test_who_goes_away_before_the_end_holds_no_place(path: str, anybody: Caller, leave: str) -> None:
    for _ in range(5):
        answer: Any = anybody.get(path)
        assert answer.status_code == 200
        if leave == "close":
            request_finished.disconnect(close_old_connections)  # the test's own connection
            answer.close()
            request_finished.connect(close_old_connections)
        del answer
        gc.collect()


def test_an_export_that_fails_holds_no_place(path: str, anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError

    with monkeypatch.context() as patched:
        patched.setattr("leaderboards.api.routes.export.csv_parts", fails)
        assert [anybody.get(path).status_code for _ in range(3)] == [500] * 3

    assert anybody.get(path).status_code == 200


def test_who_asks_for_too_many_pages_is_refused_without_sql_and_probes_and_others_are_not(
    client: Client, settings: LazySettings
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "page": Limit(3, 300)}
    rate_limit.reset()
    let_in = [client.get(path).status_code for path in ("/", "/accounts/login/", "/admin/login/")]

    with CaptureQueriesContext(connection) as asked:
        refused = client.get("/")

    assert (let_in, refused.status_code) == ([200] * 3, 429)
    assert 295 <= int(refused["Retry-After"]) <= 300
    assert refused["Cache-Control"] == "no-store"
    assert "text/html" in refused["Content-Type"]
    assert asked.captured_queries == []
    assert client.get("/healthz").status_code == 200
    assert client.get("/api/v1/boards").status_code == 200
    assert client.get("/", REMOTE_ADDR="203.0.113.7").status_code == 200
