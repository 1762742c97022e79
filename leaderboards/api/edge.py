"""What holds for every address of the API, whatever answers it: methods, HEAD, OPTIONS and CORS.

Only public GETs are for browsers of other sites, and without credentials: a preflight allows neither
``Authorization`` nor another method. What is private says so in ``Cache-Control`` and gets no CORS header.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from foundation.problems import MethodNotAllowed, respond

View = Callable[..., HttpResponseBase]

EXPOSED = "ETag, As-Of, Live, Content-Hash, Retry-After"


def fenced(pattern: URLPattern, methods: Sequence[str]) -> URLPattern:
    """``pattern`` with its view behind the edge; ``methods`` are those that the view knows."""
    pattern.callback = fence(pattern.callback, methods)
    return pattern


def fence(view: View, methods: Sequence[str]) -> View:
    """``view`` behind the edge."""
    reads = "GET" in methods
    allowed = ", ".join(sorted({*methods, "OPTIONS", *(["HEAD"] if reads else [])}))

    def fenced_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        method = request.method or ""
        if method == "OPTIONS":
            return _preflight(allowed, reads)
        wanted = "GET" if method == "HEAD" else method
        if wanted not in methods:
            return _not_allowed(method, allowed)
        request.method = wanted
        response = view(request, *args, **kwargs)
        request.method = method  # whoever serves a HEAD leaves the body out
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
