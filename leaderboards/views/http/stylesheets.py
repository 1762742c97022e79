"""Serve several style sheets in one response: each component has its own file, and a page makes one request.

The address contains a digest of the content, so browsers cache it for a year; in development each change gives a new
address. Only files in static/css can be named.
"""

import gzip
from functools import lru_cache
from hashlib import blake2b

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from foundation import file_locations

YEAR = 365 * 86_400
SEPARATOR = "+"


def address_of(names: str) -> str:
    """Return the address of these style sheets (names separated by spaces) in one response, in this order."""
    joined = SEPARATOR.join(names.split())
    return reverse("styles", args=[_digest(_sheets(joined)), joined])


@require_safe
def styles(request: HttpRequest, digest: str, names: str) -> HttpResponse:
    """Return the sheets; 404 for an unknown name. An outdated digest gets the current content, not to be cached."""
    css = _sheets(names)
    response = HttpResponse(css, content_type="text/css; charset=utf-8")
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.content = _compressed(css)
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    is_current = digest == _digest(css)
    response["Cache-Control"] = f"public, max-age={YEAR}, immutable" if is_current else "no-cache"
    return response


def _sheets(names: str) -> bytes:
    return _read_cached(names) if not settings.DEBUG else _read(names)


@lru_cache(maxsize=64)
def _read_cached(names: str) -> bytes:
    return _read(names)


def _read(names: str) -> bytes:
    known = {each.stem: each for each in (file_locations.folder("static") / "css").glob("*.css")}
    wanted = names.split(SEPARATOR)
    if len(wanted) > len(known) or any(name not in known for name in wanted):
        raise Http404("There is no such style sheet.")
    return b"\n".join(known[name].read_bytes() for name in wanted)


@lru_cache(maxsize=64)
def _compressed(css: bytes) -> bytes:
    return gzip.compress(css, mtime=0)


def _digest(css: bytes) -> str:
    return blake2b(css, digest_size=8).hexdigest()
