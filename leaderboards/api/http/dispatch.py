"""Dispatch for every path of the API: methods, HEAD, OPTIONS and CORS.

Pages of other sites may send public GETs only, without credentials: a preflight allows neither ``Authorization`` nor
another method. A response whose ``Cache-Control`` is private gets no CORS header.
"""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from foundation.http.fast_path import api_view
from foundation.http.problems import MethodNotAllowed, respond
from leaderboards.api.http.operations import OperationHandler

View = Callable[..., HttpResponseBase]

EXPOSED = "ETag, Age, As-Of, Live, Counting, Link, Content-Hash, Retry-After, X-Request-ID"


def dispatch_pattern(pattern: URLPattern, handlers: Mapping[str, OperationHandler]) -> URLPattern:
    """``pattern`` with a view that dispatches to ``handlers``, by method."""
    pattern.callback = dispatch_view(handlers)
    return pattern


def dispatch_view(handlers: Mapping[str, OperationHandler]) -> View:
    """A view that passes each request to the handler of its method."""
    reads = "GET" in handlers
    allowed = ", ".join(sorted({*handlers, "OPTIONS", *(["HEAD"] if reads else [])}))

    def view(request: HttpRequest, **path: str) -> HttpResponseBase:
        method = request.method or ""
        if method == "OPTIONS":
            return _preflight(allowed, reads)
        wanted = "GET" if method == "HEAD" else method
        if wanted not in handlers:
            return _not_allowed(method, allowed)
        request.method = wanted
        response = handlers[wanted](request, path)
        request.method = method  # the server drops the body of a HEAD response
        return _with_cors(response) if wanted == "GET" else response

    view.csrf_exempt = True  # type: ignore[attr-defined]  # how Django marks a view
    return api_view(view)


def _preflight(allowed: str, reads: bool) -> HttpResponse:
    response = HttpResponse(status=204, headers={"Allow": allowed})
    del response["Content-Type"]
    if reads:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Allow-Methods"] = "GET, HEAD"
        response["Access-Control-Allow-Headers"] = "If-None-Match, Cache-Control"
        response["Access-Control-Max-Age"] = "86400"
    return response


def _not_allowed(method: str, allowed: str) -> HttpResponse:
    response = respond(MethodNotAllowed(f"{method} is not possible here; possible are {allowed}."))
    response["Allow"] = allowed
    return response


def _with_cors(response: HttpResponseBase) -> HttpResponseBase:
    if not response.get("Cache-Control", "").startswith("private"):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
    return response
