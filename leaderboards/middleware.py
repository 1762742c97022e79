"""What is kept for anybody, told before sessions, logins and views are looked at; to who has it already, before all."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from leaderboards.views.second import note_sent, sent_before, unchanged


class UnchangedMiddleware:
    """304 where what is kept for anybody is what the asker has. Stands behind what guards every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return unchanged(request) or self._get_response(request)


class KeptPages:
    """The page itself, as it was sent last. Stands behind the brake of pages, and before what is somebody's own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        found = sent_before(request)
        if found is not None:
            return found
        response = self._get_response(request)
        note_sent(request, response)
        return response
