"""JSON responses: 200 with an ETag, or 304 if the caller has the content already.

ETags are weak: two responses with the same ETag have the same content, read at different times.
"""

from hashlib import blake2b
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from foundation.http.encoding import as_json, etag_bytes

JSON = "application/json"
PRIVATE = "private, no-cache"
AnyResponse = TypeVar("AnyResponse", bound=HttpResponseBase)


def json_response(content: Any, status: int = 200) -> HttpResponse:
    """``content`` as JSON, not to be cached."""
    response = HttpResponse(as_json(content), status=status, content_type=JSON)
    response["Cache-Control"] = "no-store"
    return response


def etag_response(request: HttpRequest, content: Any, private: bool = False) -> HttpResponse:
    """``content`` as JSON with its ETag, or 304 if ``If-None-Match`` names that."""
    tag = etag_digest(etag_bytes(content))
    response = not_modified(request, tag) or HttpResponse(as_json(content), content_type=JSON)
    return with_etag(response, tag, private)


def with_etag(response: AnyResponse, tag: str, private: bool) -> AnyResponse:
    """``response`` with its ETag; clients that cache it must revalidate before they use it."""
    response["ETag"] = _weak(tag)
    response["Cache-Control"] = PRIVATE if private else "no-cache"
    return response


def not_modified(request: HttpRequest, tag: str) -> HttpResponse | None:
    """The response 304 if ``If-None-Match`` names ``tag``, by the weak comparison of RFC 9110; else None."""
    return get_conditional_response(request, etag=_weak(tag)) if "HTTP_IF_NONE_MATCH" in request.META else None


def _weak(tag: str) -> str:
    return f'W/"{tag}"'


def etag_digest(content: bytes) -> str:
    """The text of an ETag: a hash of the content."""
    return blake2b(content, digest_size=12).hexdigest()
