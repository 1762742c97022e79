"""Turning errors into RFC 9457 problem documents; only this module maps errors to HTTP statuses.

The error's class gives the status; its ``code`` and ``detail`` are sent unchanged. The trap: messages of drivers and
Redis are not for callers, so ``RedisRefused`` gets another text here.
"""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar

import orjson
from django.http import HttpRequest, HttpResponse

from foundation.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    SunwiError,
    Unauthenticated,
    Unavailable,
)
from foundation.redis.client import RedisRefused

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"


class Malformed(Invalid):
    """A body that is not JSON."""

    code = "malformed_body"


class BadContentType(Invalid):
    """A ``Content-Type`` that cannot be read, such as one whose charset does not decode text."""

    code = "bad_content_type"


class NotJson(Invalid):
    """A body whose ``Content-Type`` is missing or not JSON."""

    code = "unsupported_media_type"


class TooLarge(Invalid):
    """A body over the size limit."""

    code = "body_too_large"


class LengthMissing(Invalid):
    """A body without ``Content-Length``."""

    code = "length_required"


class BadRequest(Invalid):
    """Parameters or a body of the wrong form; ``errors`` has one object for each problem."""

    code = "invalid_request"

    def __init__(self, detail: str, errors: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(detail)
        self.errors = errors


class PlainHttp(Forbidden):
    """The API over http on a site with https. A redirect would hide that the key was sent unencrypted."""

    code = "https_required"


class NoSuchPath(NotFound):
    """A path without a view."""

    code = "no_such_path"


class MethodNotAllowed(SunwiError):
    """A method that the path does not support."""

    code: ClassVar[str] = "method_not_allowed"


class DatabaseAway(Unavailable):
    """SQL is unavailable and is needed for the answer."""


STATUSES: Mapping[type[SunwiError], int] = {
    Malformed: 400,
    BadContentType: 400,
    LengthMissing: 411,
    TooLarge: 413,
    NotJson: 415,
    MethodNotAllowed: 405,
    Invalid: 422,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    RateLimited: 429,
    Unavailable: 503,
}


def status_of(error: SunwiError) -> int:
    """The HTTP status of an error's class."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)


def respond(error: SunwiError, **members: Any) -> HttpResponse:
    """The problem document of ``error``, with additional ``members``."""
    if errors := getattr(error, "errors", None):
        members = {"errors": list(errors), **members}
    response = document(status_of(error), error.code, _detail(error), **members)
    if isinstance(error, Unauthenticated):
        response["WWW-Authenticate"] = 'Bearer realm="sunwi"'
    if isinstance(error, Unavailable | RateLimited):
        response["Retry-After"] = str(error.retry_after)
    return response


def respond_unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    """The answer to an unexpected exception: 500 without details, which are logged."""
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return document(500, "server_error", "Something went wrong on this side; it has been written to the log.")


def document(status: int, code: str, detail: str, **members: Any) -> HttpResponse:
    """Build a problem document."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return HttpResponse(orjson.dumps(content | {"code": code} | members), status=status, content_type=CONTENT_TYPE)


def _detail(error: SunwiError) -> str:
    if isinstance(error, RedisRefused):
        logger.warning("Redis refused: %s", error.detail)
        return "What answers this is away for the moment; try again."
    return error.detail
