"""Answers for anybody, kept for one second by each process: however many watch a board, it reads it once a second.

Anybody has no session and no remembered player, so he sees what everybody may see. When the second is over one asker
makes the next answer, and all others still get the old one until it is there. In memory, since asking a cache for a
page costs about as much as the rest of the answer. The trap: links repeat the whole query, so an address with a
name that is not known here is never kept.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from foundation import clock
from leaderboards.views.viewer import COOKIE

View = Callable[..., HttpResponse]
Key = tuple[str | None, str]

KEPT_SECONDS = 1.0
STALE_SECONDS = 3.0
MOST = 256  # answers, of some 30 KB each
_NAMES = {"page", "period", "fragment", "embed", "screen"}
_ASKED = "HTTP_IF_NONE_MATCH"


@dataclass(slots=True)
class _Kept:
    """An answer; ``etag`` is empty on whole pages. Who may make the next one moves ``next_at`` on."""

    etag: str
    body: bytes
    next_at: float
    ends_at: float


_kept: dict[Key, _Kept] = {}
_lock = threading.Lock()


def kept_a_second(view: View) -> View:
    """The same view, asked at most about once a second for each address and language by those who are anybody."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        key = _key(request)
        if key is None:
            return view(request, *args, **named)
        kept = _found(key)
        if kept is None:
            made = _made(request, lambda: view(request, *args, **named))
            if isinstance(made, HttpResponse):
                return made
            kept = _keep(key, *made)
        return _answer(request, kept)

    return answered


def forget() -> None:
    """Start anew."""
    with _lock:
        _kept.clear()


def _found(key: Key) -> _Kept | None:
    """What is kept; None for the one who has to make it."""
    at = clock.monotonic()
    with _lock:
        kept = _kept.get(key)
        if kept is None or kept.ends_at <= at:
            return None
        if kept.next_at <= at:
            kept.next_at = kept.ends_at
            return None
        return kept


def _keep(key: Key, etag: str, body: bytes) -> _Kept:
    at = clock.monotonic()
    kept = _Kept(etag, body, at + KEPT_SECONDS, at + STALE_SECONDS)
    with _lock:
        if len(_kept) >= MOST:
            _kept.clear()
        _kept[key] = kept
    return kept


def _key(request: HttpRequest) -> Key | None:
    """None for whoever is somebody, and for addresses that say more than which page is meant."""
    if settings.SESSION_COOKIE_NAME in request.COOKIES or COOKIE in request.COOKIES:
        return None
    return (get_language(), request.get_full_path()) if set(request.GET) <= _NAMES else None


def _made(request: HttpRequest, make: Callable[[], HttpResponse]) -> HttpResponse | tuple[str, bytes]:
    """ETag (empty on whole pages) and body, whatever the asker has already; what may not be kept, as it is."""
    asked = request.META.pop(_ASKED, None)
    response = make()
    if asked is not None:
        request.META[_ASKED] = asked
    if response.status_code != 200 or response.cookies:
        return response
    return response.get("ETag", ""), response.content


def _answer(request: HttpRequest, kept: _Kept) -> HttpResponse:
    same = get_conditional_response(request, etag=kept.etag) if kept.etag else None
    response = HttpResponse(kept.body) if same is None else same
    if kept.etag:
        response["ETag"] = kept.etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie"])
    return response
