"""What guards every answer, what pages alone need and the API does not get, and pages while a server is away."""

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from foundation.errors import Unavailable
from foundation.middleware import ServersAwayMiddleware
from foundation.sql import SqlAway
from leaderboards import selectors

API, PAGE = "/api/v1/boards", "/accounts/login/"
IN_KOREAN = {"Accept-Language": "ko", "Cookie": "sessionid=forged"}


@pytest.mark.django_db
class TestPagesAlone:
    def test_every_answer_is_guarded(self, client: Client) -> None:
        for address in (API, PAGE):
            response = client.get(address)

            assert "default-src 'none'" in response["Content-Security-Policy"], address
            assert (response["X-Frame-Options"], response["X-Content-Type-Options"]) == ("DENY", "nosniff"), address

    def test_a_page_has_the_viewers_language_and_the_api_none_and_no_cookies(self, client: Client) -> None:
        page = client.get(PAGE, headers=IN_KOREAN)  # the same thread answers the next request
        answer = client.get(API, headers=IN_KOREAN)

        assert page["Content-Language"] == "ko"
        assert "Accept-Language" in page["Vary"]
        assert not {"Content-Language", "Vary", "Set-Cookie"} & set(answer.headers)
        assert not answer.cookies
        assert translation.get_language() == "en"

    def test_who_is_signed_in_is_nobody_to_the_api_and_stays_signed_in(self, admin_client: Client) -> None:
        asked = admin_client.put("/api/v1/players/ann", "{}", "application/json")

        assert asked.status_code == 401
        assert admin_client.get("/admin/").status_code == 200


def shown(monkeypatch: pytest.MonkeyPatch, error: Exception) -> HttpResponse:
    """The page of all boards, where reading them fails."""

    def fail(**_options: object) -> list[object]:
        raise error

    monkeypatch.setattr(selectors, "boards_listed", fail)
    return Client(raise_request_exception=False).get("/")  # type: ignore[return-value]  # the test client's own kind


@pytest.mark.parametrize("error", [SqlAway("SQL is away."), OperationalError("connection refused")])
def test_a_page_that_cannot_be_read_now_says_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    response = shown(monkeypatch, error)

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert b"Being put right" in response.content


def test_any_other_failure_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, ZeroDivisionError()).status_code == 500


@pytest.mark.parametrize(("method", "looks_again"), [("get", True), ("post", False)])
def test_only_what_was_read_is_looked_for_again(rf: RequestFactory, method: str, looks_again: bool) -> None:
    middleware = ServersAwayMiddleware(lambda _request: HttpResponse())

    response = middleware.process_exception(getattr(rf, method)("/"), Unavailable("Redis is away."))

    assert response is not None
    assert (b"js/return.js" in response.content) is looks_again
