"""What guards every answer, what only pages get, whose address a request has, and refusals as problem documents."""

import json
from unittest.mock import Mock

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from foundation import errors
from foundation.db.resilience import SqlAway
from foundation.errors import Unavailable
from foundation.http import problems
from foundation.http.client_address import _network_of, client_network
from foundation.http.middleware import ServersUnavailable
from foundation.redis import client as redis
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
    monkeypatch.setattr(selectors, "boards_listed", Mock(side_effect=error))
    return Client(raise_request_exception=False).get("/")  # type: ignore[return-value]  # the test client's own kind


def test_a_page_that_cannot_be_read_now_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (SqlAway("SQL is away."), OperationalError("connection refused")):
        response = shown(monkeypatch, error)

        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert b"Being put right" in response.content
    assert shown(monkeypatch, ZeroDivisionError()).status_code == 500


def test_only_what_was_read_is_looked_for_again(rf: RequestFactory) -> None:
    middleware = ServersUnavailable(lambda _request: HttpResponse())

    for request, looks_again in ((rf.get("/"), True), (rf.post("/"), False)):
        response = middleware.process_exception(request, Unavailable("Redis is away."))

        assert response is not None
        assert (b"/return.js" in response.content) is looks_again


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "client"),
    [
        # Without proxies a header is nobody's word.
        *((0, "203.0.113.9", forged, "203.0.113.9") for forged in ("6.6.6.6", "6.6.6.6, 7.7.7.7", "localhost", "")),
        # What a client forged before the proxy's own word changes nothing.
        (1, "10.0.0.1", "203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "6.6.6.6, 127.0.0.1, 10.0.0.1, 203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "rubbish, 203.0.113.9", "203.0.113.9"),
        # Of two proxies the outer one saw the client.
        (2, "10.0.0.2", "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        # Who came past the proxies is known by their connection.
        *((2, "198.51.100.4", past, "198.51.100.4") for past in (None, "", "203.0.113.9", "rubbish, 10.0.0.1")),
        # A household of IPv6 is one client; IPv4 in its dress is still one address.
        (0, "2001:db8:1:2:aaaa::1", None, "2001:db8:1:2::/64"),
        (0, "2001:db8:1:2:bbbb::2", None, "2001:db8:1:2::/64"),
        (0, "2001:db8:1:3::1", None, "2001:db8:1:3::/64"),
        (0, "::ffff:203.0.113.9", None, "203.0.113.9"),
        # A socket without an address is one client.
        (0, "", None, "unknown"),
    ],
)
def test_the_client_is_whom_the_outermost_trusted_party_saw(
    settings: LazySettings, proxies: int, remote: str, forwarded: str | None, client: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}

    assert client_network(RequestFactory(headers=headers, REMOTE_ADDR=remote).get("/")) == client


STATUSES = {
    errors.Invalid: 422,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Unavailable: 503,
    problems.Malformed: 400,
    problems.BadContentType: 400,
    problems.TooLarge: 413,
    problems.NotJson: 415,
    problems.LengthMissing: 411,
    problems.MethodNotAllowed: 405,
    problems.BadRequest: 422,
    errors.SunwiError: 500,
}


def test_the_kind_of_an_error_gives_its_status_and_what_to_do_about_it() -> None:
    answers = {kind: problems.respond(kind("x")) for kind in STATUSES}

    assert {kind: answer.status_code for kind, answer in answers.items()} == STATUSES
    assert answers[errors.Unauthenticated]["WWW-Authenticate"] == 'Bearer realm="sunwi"'
    assert answers[errors.Unavailable]["Retry-After"] == "1"
    assert answers[errors.Conflict]["Content-Type"] == "application/problem+json"
    assert json.loads(answers[errors.Conflict].content) == {
        "type": "about:blank", "title": "Conflict", "status": 409, "detail": "x", "code": errors.Conflict.code,
    }  # fmt: skip  # as a table


def test_neither_what_redis_said_nor_a_fault_is_for_callers(caplog: pytest.LogCaptureFixture) -> None:
    request = HttpRequest()
    request.method, request.path = "GET", "/api/v1/boards"

    refused = problems.respond(redis.RedisRefused("WRONGTYPE secret"))
    broken = problems.respond_unexpected(request, ValueError("secret"))

    assert (refused.status_code, broken.status_code) == (503, 500)
    assert b"secret" not in refused.content + broken.content
    assert "ValueError: secret" in caplog.text


def test_no_long_text_is_remembered_as_an_address(settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = 1
    known = _network_of.cache_info().currsize
    for nth in range(3):
        request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.77", HTTP_X_FORWARDED_FOR=f"{nth}" * 200)
        assert client_network(request) == "192.0.2.77"
    assert _network_of.cache_info().currsize <= known + 1
