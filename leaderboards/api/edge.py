"""What holds for every address of the API, whatever answers it: methods, parameters, HEAD, OPTIONS and CORS.

Only public GETs are for browsers of other sites, and without credentials: a preflight allows neither
``Authorization`` nor another method. What is private says so in ``Cache-Control`` and gets no CORS header.
The trap: a parameter that nobody reads would be an order that nobody obeys, such as a dry run that is spelled wrong,
or the first of two limits.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from foundation.problems import BadRequest, MethodNotAllowed, respond
from leaderboards.core.entries import shown

View = Callable[..., HttpResponseBase]
Known = Mapping[str, Mapping[str, bool]]  # by method, the parameters of its address, and whether they may be repeated

EXPOSED = "ETag, As-Of, Live, Counting, Link, Content-Hash, Retry-After"


def fenced(pattern: URLPattern, known: Known) -> URLPattern:
    """``pattern`` with its view behind the edge; ``known`` are the methods of the view, and their parameters."""
    pattern.callback = fence(pattern.callback, known)
    return pattern


def fence(view: View, known: Known) -> View:
    """``view`` behind the edge."""
    reads = "GET" in known
    allowed = ", ".join(sorted({*known, "OPTIONS", *(["HEAD"] if reads else [])}))

    def fenced_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        method = request.method or ""
        if method == "OPTIONS":
            return _preflight(allowed, reads)
        wanted = "GET" if method == "HEAD" else method
        if wanted not in known:
            return _not_allowed(method, allowed)
        request.method = wanted
        response = _misspelled(request, known[wanted]) or view(request, *args, **kwargs)
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


def _misspelled(request: HttpRequest, known: Mapping[str, bool]) -> HttpResponse | None:
    """The refusal of parameters that the address does not have, or not twice; None where all is as it should be."""
    try:
        sent = {name: len(values) for name, values in request.GET.lists()}
    except TooManyFieldsSent:
        return respond(BadRequest("The address has far too many parameters."))
    possible = f"there are {', '.join(f'`{name}`' for name in known)}" if known else "this address takes none"
    details = {name: f"There is no parameter {shown(name)} here; {possible}." for name in sent if name not in known}
    for name, times in sent.items():
        if times > 1 and known.get(name) is False:
            details[name] = f"`{name}` is there {times} times; send it once."
    if not details:
        return None
    errors = [{"parameter": name[:40], "detail": detail} for name, detail in details.items()]
    return respond(BadRequest(next(iter(details.values())), errors))


def _shared(response: HttpResponseBase) -> HttpResponseBase:
    if not response.get("Cache-Control", "").startswith("private"):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
    return response
