"""Refusals as problem documents."""

import json
from http import HTTPStatus

import pytest
from django.http import HttpRequest

from foundation import errors, problems, redis


class Missing(errors.NotFound):
    code = "missing"


STATUSES = {
    errors.Invalid: 422,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    Missing: 404,
    errors.Conflict: 409,
    errors.Unavailable: 503,
    problems.Malformed: 400,
    problems.TooLarge: 413,
    problems.LengthMissing: 411,
    problems.MethodNotAllowed: 405,
    problems.BadRequest: 422,
    errors.SunwiError: 500,
}
MORE_HEADERS = {
    errors.Unauthenticated: {"WWW-Authenticate": 'Bearer realm="sunwi"'},
    errors.Unavailable: {"Retry-After": "1"},
}


@pytest.mark.parametrize(("kind", "status"), STATUSES.items())
def test_the_kind_of_an_error_gives_its_status_and_what_to_do_about_it(
    kind: type[errors.SunwiError], status: int
) -> None:
    error = kind("x")

    response = problems.respond(error)

    assert response.status_code == status
    assert response.headers == {"Content-Type": "application/problem+json", **MORE_HEADERS.get(kind, {})}
    assert json.loads(response.content) == {
        "type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": "x", "code": error.code,
    }  # fmt: skip  # as a table


def test_places_and_more_members_stand_beside_the_usual_ones() -> None:
    error = problems.BadRequest("x", [{"parameter": "limit", "detail": "y"}])

    told = json.loads(problems.respond(error, rejected=1).content)

    assert told["errors"] == [{"parameter": "limit", "detail": "y"}]
    assert told["rejected"] == 1


def test_neither_what_redis_said_nor_a_fault_is_for_callers(caplog: pytest.LogCaptureFixture) -> None:
    request = HttpRequest()
    request.method, request.path = "GET", "/api/v1/boards"

    refused = problems.respond(redis.RedisRefused("WRONGTYPE secret"))
    broken = problems.respond_unexpected(request, ValueError("secret"))

    assert (refused.status_code, broken.status_code) == (503, 500)
    assert b"secret" not in refused.content + broken.content
    assert "ValueError: secret" in caplog.text
