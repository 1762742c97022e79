"""Answers for anybody, kept for one second: however many people watch a board, it is read once a second.

When the second is over one asker makes the next answer, and all others still get the old one until it is there.

Anybody has no session and no remembered player, so he sees what everybody may see. The trap: links repeat the
whole query, so an address with a name that is not known here is never kept.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import blake2b

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from leaderboards.views.viewer import COOKIE

View = Callable[..., HttpResponse]

KEPT_SECONDS = 1
STALE_SECONDS = 3
_NAMES = {"page", "period", "fragment", "embed", "screen"}
_ASKED = "HTTP_IF_NONE_MATCH"


def kept_a_second(view: View) -> View:
    """The same view, asked at most about once a second for each address and language by those who are anybody."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        key = _key(request)
        if key is None:
            return view(request, *args, **named)
        asked = request.META.get(_ASKED)
        if asked and cache.get(f"{key}:fresh") == asked:  # what most who watch get: the body is not even fetched
            return _answer(request, asked, b"")
        found = cache.get_many([key, f"{key}:fresh"])
        if key in found and (len(found) > 1 or not cache.add(f"{key}:made", True, STALE_SECONDS)):
            return _answer(request, *found[key])
        made = _made(request, lambda: view(request, *args, **named))
        if isinstance(made, HttpResponse):
            return made
        _keep(key, made)
        return _answer(request, *made)

    return answered


def _keep(key: str, made: tuple[str, bytes]) -> None:
    """Fresh for a second; for a little longer it serves whoever comes while somebody is making the next."""
    cache.set(key, made, STALE_SECONDS)
    cache.set(f"{key}:fresh", made[0], KEPT_SECONDS)
    cache.delete(f"{key}:made")


def _key(request: HttpRequest) -> str | None:
    """None for whoever is somebody, and for addresses that say more than which page is meant."""
    known = {settings.SESSION_COOKIE_NAME, COOKIE} & set(request.COOKIES)
    if known or not set(request.GET) <= _NAMES:
        return None
    address = f"{get_language()} {request.get_full_path()}"
    return f"second:{blake2b(address.encode(), digest_size=16).hexdigest()}"


def _made(request: HttpRequest, make: Callable[[], HttpResponse]) -> HttpResponse | tuple[str, bytes]:
    """ETag (empty on whole pages) and body, whatever the asker has already; what may not be kept, as it is."""
    asked = request.META.pop(_ASKED, None)
    response = make()
    if asked is not None:
        request.META[_ASKED] = asked
    if response.status_code != 200 or response.cookies:
        return response
    return response.get("ETag", ""), response.content


def _answer(request: HttpRequest, etag: str, body: bytes) -> HttpResponse:
    response = (etag and get_conditional_response(request, etag=etag)) or HttpResponse(body)
    if etag:
        response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie"])
    return response
