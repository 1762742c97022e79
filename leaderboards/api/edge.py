"""What holds for every address of the API, whatever answers it: methods, parameters, HEAD, OPTIONS and CORS.

Only public GETs are for browsers of other sites, and without credentials: a preflight allows neither
``Authorization`` nor another method. What is private says so in ``Cache-Control`` and gets no CORS header.
The trap: a parameter that nobody reads would be an order that nobody obeys, such as a dry run that is spelled wrong.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from foundation.problems import BadRequest, MethodNotAllowed, respond
from leaderboards.core.entries import shown

View = Callable[..., HttpResponseBase]
Known = Mapping[str, Collection[str]]  # by method, the parameters that its address may have

EXPOSED = "ETag, As-Of, Live, Content-Hash, Retry-After"


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


def _misspelled(request: HttpRequest, known: Collection[str]) -> HttpResponse | None:
    """The refusal of parameters that the address does not have; None where it has them all."""
    try:
        unknown = [name for name in request.GET if name not in known]
    except TooManyFieldsSent:
        return respond(BadRequest("The address has far too many parameters."))
    if not unknown:
        return None
    possible = f"there are {', '.join(f'`{name}`' for name in known)}" if known else "there are none"
    details = {name: f"There is no parameter {shown(name)} here; {possible}." for name in unknown}
    errors = [{"parameter": name[:40], "detail": detail} for name, detail in details.items()]
    return respond(BadRequest(details[unknown[0]], errors))


def _shared(response: HttpResponseBase) -> HttpResponseBase:
    if not response.get("Cache-Control", "").startswith("private"):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
    return response
