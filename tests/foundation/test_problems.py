"""Refusals as problem documents."""

import json
from http import HTTPStatus

import pytest
from django.http import HttpRequest, HttpResponse

from foundation import errors, problems, redis


class Missing(errors.NotFound):
    code = "missing"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.Invalid("x"), 422),
        (errors.Unauthenticated("x"), 401),
        (errors.Forbidden("x"), 403),
        (Missing("x"), 404),
        (errors.Conflict("x"), 409),
        (errors.Unavailable("x"), 503),
        (problems.Malformed("x"), 400),
        (problems.TooLarge("x"), 413),
        (problems.LengthMissing("x"), 411),
        (problems.MethodNotAllowed("x"), 405),
        (problems.BadRequest("x"), 422),
        (errors.SunwiError("x"), 500),
    ],
)
def test_the_kind_of_an_error_gives_its_status(error: errors.SunwiError, status: int) -> None:
    response = problems.respond(error)

    assert response["Content-Type"] == "application/problem+json"
    assert json.loads(response.content) == {
        "type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": "x", "code": error.code,
    }  # fmt: skip  # as a table
    assert response.status_code == status


def test_who_is_unknown_is_told_how_to_be_known() -> None:
    assert problems.respond(errors.Unauthenticated("x"))["WWW-Authenticate"] == 'Bearer realm="sunwi"'


def test_who_may_try_again_is_told_when() -> None:
    assert problems.respond(errors.Unavailable("x"))["Retry-After"] == "1"
    assert "Retry-After" not in problems.respond(errors.Conflict("x"))


def test_places_and_more_members_stand_beside_the_usual_ones() -> None:
    error = problems.BadRequest("x", [{"parameter": "limit", "detail": "y"}])

    told = json.loads(problems.respond(error, rejected=1).content)

    assert told["errors"] == [{"parameter": "limit", "detail": "y"}]
    assert told["rejected"] == 1


def test_what_redis_said_is_not_for_callers() -> None:
    response = problems.respond(redis.RedisRefused("WRONGTYPE LeaderBoard_1_2026-47"))

    assert response.status_code == 503
    assert b"LeaderBoard" not in response.content


def test_a_fault_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    request = HttpRequest()
    request.method, request.path = "GET", "/api/v1/boards"

    response: HttpResponse = problems.respond_unexpected(request, ValueError("secret"))

    assert response.status_code == 500
    assert b"secret" not in response.content
    assert "secret" in caplog.text
