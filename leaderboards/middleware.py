"""Answers to those who follow a page and have it already: before sessions and languages are looked at."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from leaderboards.views.second import unchanged


class UnchangedMiddleware:
    """304 where what is kept for anybody is what the asker has. Stands behind what guards every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return unchanged(request) or self._get_response(request)
