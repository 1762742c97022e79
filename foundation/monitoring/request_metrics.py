"""Metrics of requests: their duration by route, and answers with another status than 200.

All routes of the admin count as one, and so do requests without a route (files, 404, 429 before routing).
"""

from time import perf_counter

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.monitoring.instruments import LabelledCounter, LabelledHistogram

NO_ROUTE, ADMIN = "none", "admin/"
UNKNOWN_PATH = "unknown-path"  # the name of a pattern that takes the rest of a folder, and answers 404
OURS = ("500", "503")  # answers that are told as 0 before the first one: a rule watches how they grow
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MOST_ROUTES = 300

_seconds = LabelledHistogram(
    "sunwi_request_seconds", "Seconds until a request was answered.", ["method", "route"], most=MOST_ROUTES
)
_not_ok = LabelledCounter(
    "sunwi_responses_not_200_total", "Answers with another status than 200.", ["method", "route", "status"], most=2000
)


def note(request: HttpRequest, response: HttpResponseBase, begun: float) -> None:
    """Count an answered request that began at ``begun`` (``perf_counter``)."""
    match, method = request.resolver_match, request.method or ""
    route = match.route if match and match.url_name != UNKNOWN_PATH else NO_ROUTE
    if route.startswith(ADMIN):
        route = ADMIN
    if method not in METHODS:
        method = "other"
    if _seconds.start(method, route):
        for status in OURS:
            _not_ok.start(method, route, status)
    _seconds.add(perf_counter() - begun, method, route)
    if response.status_code != 200:
        _not_ok.add(method, route, str(response.status_code))
