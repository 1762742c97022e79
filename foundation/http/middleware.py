"""Pages while a server is away (503), and for who asks too often (429); the API over plain http (403).

Else the API answers for itself.
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
from foundation.http.page_middleware import API
from foundation.http.problems import PlainHttp, respond
from foundation.throttling.rate_limit import throttle

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = "5"
PROBES = ("/healthz", "/readyz", "/metrics")


class ApiHttpsOnly:
    """Refuses the API over plain http where pages are redirected: callers must notice, and not send their key twice."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.SECURE_SSL_REDIRECT and request.path_info.startswith(API) and not request.is_secure():
            sent = " The key that came with it has crossed the net in the clear: make another."
            detail = "Use https; nothing of this request was done."
            return respond(PlainHttp(detail + sent if "HTTP_AUTHORIZATION" in request.META else detail))
        return self._get_response(request)


class PageThrottle:
    """429 for an address that asks for too many pages (``PAGE_LIMIT``); the API has brakes of its own.

    Stands behind what costs nothing (files of ``static/``, 304 of pages that are followed), before SQL is asked.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API) or request.path_info in PROBES:
            return self._get_response(request)
        try:
            throttle("page", client_network(request))
        except RateLimited as error:
            return _refused_unseen(error.retry_after)
        return self._get_response(request)


class ServersUnavailable:
    """Turns an absent SQL or Redis, met by a view, into 503 with ``Retry-After``; and a brake into 429."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for it; None leaves any other error to Django."""
        if isinstance(exception, RateLimited):
            return _too_often(request, exception.retry_after)
        if not isinstance(exception, (Unavailable, *CONNECTION_ERRORS)):
            return None
        logger.warning("%s cannot be shown now: %s", request.path, exception)
        return _away(request)


def _away(request: HttpRequest) -> HttpResponse:
    """Without the request in its context: who is signed in is asked of the server that is away."""
    content = render_to_string("503.html", {"is_read": request.method == "GET"})
    return HttpResponse(content, status=503, headers={"Retry-After": RETRY_AFTER_SECONDS})


def _refused_unseen(seconds: int) -> HttpResponse:
    """Without the request in its context: who is signed in would cost a question to SQL."""
    return _slow_down(render_to_string("429.html", {"seconds": seconds, "is_plain": True}), seconds)


def _too_often(request: HttpRequest, seconds: int) -> HttpResponse:
    return _slow_down(render_to_string("429.html", {"seconds": seconds}, request), seconds)


def _slow_down(content: str, seconds: int) -> HttpResponse:
    response = HttpResponse(content, status=429, headers={"Retry-After": str(seconds), "Cache-Control": "no-store"})
    response["Content-Length"] = str(len(response.content))  # the brake stands before the layer that says it of others
    return response
