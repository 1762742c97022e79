"""Count page views, after the response and without a cookie.

Not counted: the API, the admin, polling requests, responses other than HTML with status 200, and robots. The trap: a
page is counted by its URL name and one number, so that invented paths cannot fill the counts.
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

# User agents of programs; an empty one counts as a program too.
_ROBOT = re.compile(r"bot|crawl|spider|slurp|preview|monitor|headless|curl|wget|python|java/|http|^$", re.IGNORECASE)
LONGEST_BROWSER = 512


class GuestVisits:
    """Count visits without a session. Comes before the cache of shared pages, whose answers are visits too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if not may_be_signed_in(request) and (page := page_of(request, response)):
            visit.record_guest_view(page, client_network(request), _browser(request), clock.now())
        return response


class UserVisits:
    """Count visits with a session. Comes after authentication: an account is one visitor on all devices."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if may_be_signed_in(request) and (page := page_of(request, response)):
            _record_session_view(request, page)
        return response


def page_of(request: HttpRequest, response: HttpResponseBase) -> str | None:
    """The page's name, such as ``board:3``; None if it is not counted."""
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
    """Whether the user agent is a program, not a browser."""
    return _ROBOT.search(browser) is not None


def _browser(request: HttpRequest) -> str:
    return str(request.META.get("HTTP_USER_AGENT", ""))[:LONGEST_BROWSER]


def _record_session_view(request: HttpRequest, page: str) -> None:
    at = clock.now()
    try:
        user_id = ask(lambda: request.user.pk)
    except SqlAway:  # the account is unknown: do not count it as another visitor
        return
    if user_id is None:
        visit.record_guest_view(page, client_network(request), _browser(request), at)
    else:
        visit.record_user_view(page, user_id, at)
