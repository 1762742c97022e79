"""What is kept for anybody, told before sessions, logins and views are looked at; to who has it already, before all."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from leaderboards.views.http.micro_cache import cached_response, not_modified_response, record_sent_headers


class NotModifiedMiddleware:
    """304 where what is kept for anybody is what the asker has. Stands behind what guards every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return not_modified_response(request) or self._get_response(request)


class CachedPagesMiddleware:
    """The page itself, as it was sent last. Stands behind the brake of pages, and before what is somebody's own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        found = cached_response(request)
        if found is not None:
            return found
        response = self._get_response(request)
        record_sent_headers(request, response)
        return response
