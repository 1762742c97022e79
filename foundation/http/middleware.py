"""Error answers of pages: 503 while SQL or Redis is unavailable, 429 over a rate limit. And 403 for the API over http.

All other errors of the API are handled by the API itself.
"""

import logging
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import RateLimited, Unavailable
from foundation.http.client_address import client_network
from foundation.http.fast_path import is_of_api
from foundation.http.problems import PlainHttp, respond
from foundation.throttling.rate_limit import throttle

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = "5"
PROBES = ("/healthz", "/readyz", "/metrics")


class ApiHttpsOnly:
    """Refuse API requests over http if pages are redirected to https.

    A redirect would hide from callers that they send their key unencrypted.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure() and is_of_api(request):
            detail = "Use https; nothing of this request was done."
            if "HTTP_AUTHORIZATION" in request.META:
                detail += " The key that came with it has crossed the net in the clear: make another."
            return respond(PlainHttp(detail))
        return self._get_response(request)


class PageThrottle:
    """429 for an address that requests too many pages (``PAGE_LIMIT``); the API has its own limits.

    Comes after cheap answers (static files, 304 of polled pages) and before any query.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_of_api(request) or request.path_info in PROBES:
            return self._get_response(request)
        try:
            throttle("page", client_network(request))
        except RateLimited as error:
            return _respond_429_plain(error.retry_after)
        return self._get_response(request)


class ServersUnavailable:
    """503 with ``Retry-After`` if a view meets an unavailable SQL or Redis, and 429 for ``RateLimited``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The error page; None leaves other errors to Django."""
        if isinstance(exception, RateLimited):
            return _respond_429(request, exception.retry_after)
        if not isinstance(exception, (Unavailable, *CONNECTION_ERRORS)):
            return None
        logger.warning("%s cannot be shown now: %s", request.path, exception)
        return _respond_503(request)


def _respond_503(request: HttpRequest) -> HttpResponse:
    """Render without the request: its user would have to be read from the unavailable server."""
    content = render_to_string("503.html", {"is_read": request.method == "GET"})
    return HttpResponse(content, status=503, headers={"Retry-After": RETRY_AFTER_SECONDS})


def _respond_429_plain(seconds: int) -> HttpResponse:
    """Render without the request: its user would cost a query."""
    return _build_429(render_to_string("429.html", {"seconds": seconds, "is_plain": True}), seconds)


def _respond_429(request: HttpRequest, seconds: int) -> HttpResponse:
    return _build_429(render_to_string("429.html", {"seconds": seconds}, request), seconds)


def _build_429(content: str, seconds: int) -> HttpResponse:
    response = HttpResponse(content, status=429, headers={"Retry-After": str(seconds), "Cache-Control": "no-store"})
    response["Content-Length"] = str(len(response.content))  # the middleware that sets it comes after the throttle
    return response
