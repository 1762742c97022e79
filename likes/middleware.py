"""Counts views of pages: what people open in a browser, after it was answered. No cookie is set for it.

Left out: the API, the admin, parts of a page that poll, answers that are no page, who calls themselves a robot. The
trap: a page goes by the name of its address and one number, so that nobody can fill the counts with made-up paths.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation import clock
from foundation.db.resilience import SqlAway, ask
from foundation.http.client_address import client_network
from leaderboards.views.http.viewer import may_be_signed_in
from likes.services import visit

# Nameless visitors are programs; so are these, by their own word.
_ROBOT = re.compile(r"bot|crawl|spider|slurp|preview|monitor|headless|curl|wget|python|java/|http|^$", re.IGNORECASE)
LONGEST_BROWSER = 512


class GuestVisits:
    """Visits without a session. Stands before what is kept for anybody, which is a visit too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if not may_be_signed_in(request) and (page := page_of(request, response)):
            visit.record_guest_view(page, client_network(request), _browser(request), clock.now())
        return response


class UserVisits:
    """Visits with a session. Stands behind authentication: who is signed in counts once, wherever they are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if may_be_signed_in(request) and (page := page_of(request, response)):
            _note(request, page)
        return response


def page_of(request: HttpRequest, response: HttpResponseBase) -> str | None:
    """The page's name, as ``board:3``; None for what is not counted."""
    match = request.resolver_match
    if match is None or match.namespaces or not match.url_name or request.method != "GET":
        return None
    if response.status_code != 200 or not response.get("Content-Type", "").startswith("text/html"):
        return None
    if "fragment" in request.GET or "HTTP_SEC_PURPOSE" in request.META or is_robot(_browser(request)):
        return None
    number = next((value for value in match.kwargs.values() if isinstance(value, int)), None)
    return match.url_name if number is None else f"{match.url_name}:{number}"


def is_robot(browser: str) -> bool:
    """Whether a browser of this name is none."""
    return _ROBOT.search(browser) is not None


def _browser(request: HttpRequest) -> str:
    return str(request.META.get("HTTP_USER_AGENT", ""))[:LONGEST_BROWSER]


def _note(request: HttpRequest, page: str) -> None:
    at = clock.now()
    try:
        user_id = ask(lambda: request.user.pk)
    except SqlAway:  # nobody knows who it is, so they are nobody's second visitor
        return
    if user_id is None:
        visit.record_guest_view(page, client_network(request), _browser(request), at)
    else:
        visit.record_user_view(page, user_id, at)
