"""Answer anonymous readers from the micro cache, before sessions, sign-in and views are consulted."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from leaderboards.views.http.micro_cache import cached_response, not_modified_response, record_sent_headers


class NotModifiedMiddleware:
    """Answer 304 if the reader already has the cached answer. Comes after the middleware that guards every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return not_modified_response(request) or self._get_response(request)


class CachedPagesMiddleware:
    """Answer with the cached page, headers included. Comes after the throttle of pages and before sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        cached = cached_response(request)
        if cached is not None:
            return cached
        response = self._get_response(request)
        record_sent_headers(request, response)
        return response
