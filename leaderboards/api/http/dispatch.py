"""What holds for every address of the API, whatever answers it: methods, parameters, HEAD, OPTIONS and CORS.

Only public GETs are for browsers of other sites, and without credentials: a preflight allows neither
``Authorization`` nor another method. What is private says so in ``Cache-Control`` and gets no CORS header.
The trap: a parameter that nobody reads would be an order that nobody obeys, such as a dry run that is spelled wrong,
or the first of two limits.
"""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from foundation.http.problems import MethodNotAllowed, respond
from leaderboards.api.http.operations import OperationHandler

View = Callable[..., HttpResponseBase]

EXPOSED = "ETag, As-Of, Live, Counting, Link, Content-Hash, Retry-After"


def dispatch_pattern(pattern: URLPattern, known: Mapping[str, OperationHandler]) -> URLPattern:
    """``pattern`` with the edge as its view; ``known`` are its operations, by method."""
    pattern.callback = dispatch_view(known)
    return pattern


def dispatch_view(known: Mapping[str, OperationHandler]) -> View:
    """A view that hands what is asked to the operation of its method."""
    reads = "GET" in known
    allowed = ", ".join(sorted({*known, "OPTIONS", *(["HEAD"] if reads else [])}))

    def fenced_view(request: HttpRequest, **path: str) -> HttpResponseBase:
        method = request.method or ""
        if method == "OPTIONS":
            return _preflight(allowed, reads)
        wanted = "GET" if method == "HEAD" else method
        if wanted not in known:
            return _not_allowed(method, allowed)
        request.method = wanted
        response = known[wanted](request, path)
        request.method = method  # the server leaves the body of a HEAD out
        return _shared(response) if wanted == "GET" else response

    fenced_view.csrf_exempt = True  # type: ignore[attr-defined]  # how Django marks a view
    return fenced_view


def _preflight(allowed: str, reads: bool) -> HttpResponse:
    response = HttpResponse(status=204, headers={"Allow": allowed})
    del response["Content-Type"]
    if reads:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Allow-Methods"] = "GET, HEAD"
        response["Access-Control-Allow-Headers"] = "If-None-Match"
        response["Access-Control-Max-Age"] = "86400"
    return response


def _not_allowed(method: str, allowed: str) -> HttpResponse:
    response = respond(MethodNotAllowed(f"{method} is not possible here; possible are {allowed}."))
    response["Allow"] = allowed
    return response


def _shared(response: HttpResponseBase) -> HttpResponseBase:
    if not response.get("Cache-Control", "").startswith("private"):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
    return response
