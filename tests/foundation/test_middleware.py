"""Pages while a server is away."""

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory

from foundation.errors import Unavailable
from foundation.middleware import ServersAwayMiddleware
from foundation.sql import SqlAway
from leaderboards import selectors


@pytest.mark.parametrize("error", [SqlAway("SQL is away."), OperationalError("connection refused")])
def test_a_page_that_cannot_be_read_now_says_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def away(**_options: object) -> list[object]:
        raise error

    monkeypatch.setattr(selectors, "boards_listed", away)

    response = Client(raise_request_exception=False).get("/")

    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert b"Being put right" in response.content


def test_any_other_failure_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_options: object) -> list[object]:
        raise ZeroDivisionError

    monkeypatch.setattr(selectors, "boards_listed", broken)

    assert Client(raise_request_exception=False).get("/").status_code == 500


@pytest.mark.parametrize(("method", "looks_again"), [("get", True), ("post", False)])
def test_only_what_was_read_is_looked_for_again(rf: RequestFactory, method: str, looks_again: bool) -> None:
    middleware = ServersAwayMiddleware(lambda _request: HttpResponse())

    response = middleware.process_exception(getattr(rf, method)("/"), Unavailable("Redis is away."))

    assert response is not None
    assert (b"js/return.js" in response.content) is looks_again
