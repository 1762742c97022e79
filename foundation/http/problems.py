"""Refusals as RFC 9457 problem documents: the only place that knows HTTP statuses.

An error's kind gives the status, its ``code`` and ``detail`` go out as they are. The trap: what a
driver or Redis said is not for callers, so refusals of the link are worded anew here.
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
    """A body that is no JSON at all."""

    code = "malformed_body"


class BadContentType(Invalid):
    """A ``Content-Type`` that cannot be read, such as one with a charset that decodes no texts."""

    code = "bad_content_type"


class NotJson(Invalid):
    """A body that is declared as another kind than JSON, or as none."""

    code = "unsupported_media_type"


class TooLarge(Invalid):
    """A body over the limit."""

    code = "body_too_large"


class LengthMissing(Invalid):
    """A body sent without saying how long it is."""

    code = "length_required"


class BadRequest(Invalid):
    """Parameters or a body of the wrong shape; ``errors`` says where, one object each."""

    code = "invalid_request"

    def __init__(self, detail: str, errors: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(detail)
        self.errors = errors


class PlainHttp(Forbidden):
    """The API over plain http where the site has https: after a redirect a key would go on crossing the net so."""

    code = "https_required"


class NoSuchPath(NotFound):
    """An address that nothing answers to."""

    code = "no_such_path"


class MethodNotAllowed(SunwiError):
    """A method that the address does not have."""

    code: ClassVar[str] = "method_not_allowed"


class DatabaseAway(Unavailable):
    """SQL did not answer, and the answer needs it."""


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
    """The HTTP status of an error's kind."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)


def respond(error: SunwiError, **members: Any) -> HttpResponse:
    """The problem document of ``error``, with ``members`` beside the usual ones."""
    errors = getattr(error, "errors", None)
    response = document(
        status_of(error), error.code, _detail(error), **({"errors": list(errors)} if errors else {}), **members
    )
    if isinstance(error, Unauthenticated):
        response["WWW-Authenticate"] = 'Bearer realm="sunwi"'
    if isinstance(error, Unavailable | RateLimited):
        response["Retry-After"] = str(error.retry_after)
    return response


def respond_unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    """What a caller hears of a fault of ours: that it happened. The log has the rest."""
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return document(500, "server_error", "Something went wrong on this side; it has been written to the log.")


def document(status: int, code: str, detail: str, **members: Any) -> HttpResponse:
    """A problem document."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return HttpResponse(orjson.dumps(content | {"code": code} | members), status=status, content_type=CONTENT_TYPE)


def _detail(error: SunwiError) -> str:
    if isinstance(error, RedisRefused):
        logger.warning("Redis refused: %s", error.detail)
        return "What answers this is away for the moment; try again."
    return error.detail
