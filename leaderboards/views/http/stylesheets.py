"""Several style sheets of the site in one answer: each component keeps its file, and a page asks once.

The address holds a digest of what is in it, so browsers keep it for good. In development every change has another
address. Only files of static/css can be named.
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
BETWEEN = "+"


def address_of(names: str) -> str:
    """Where the sheets of these names (parted by blanks) are answered together, in this order."""
    joined = BETWEEN.join(names.split())
    return reverse("styles", args=[_digest(_sheets(joined)), joined])


@require_safe
def styles(request: HttpRequest, digest: str, names: str) -> HttpResponse:
    """The sheets. 404 where there is none of a name; under an old digest what is there now, kept by nobody."""
    css = _sheets(names)
    response = HttpResponse(css, content_type="text/css; charset=utf-8")
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.content = _compressed(css)
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    kept = f"public, max-age={YEAR}, immutable" if digest == _digest(css) else "no-cache"
    response["Cache-Control"] = kept
    return response


def _sheets(names: str) -> bytes:
    return _kept(names) if not settings.DEBUG else _read(names)


@lru_cache(maxsize=64)
def _kept(names: str) -> bytes:
    return _read(names)


def _read(names: str) -> bytes:
    known = {each.stem: each for each in (file_locations.folder("static") / "css").glob("*.css")}
    wanted = names.split(BETWEEN)
    if len(wanted) > len(known) or any(name not in known for name in wanted):
        raise Http404("There is no such style sheet.")
    return b"\n".join(known[name].read_bytes() for name in wanted)


@lru_cache(maxsize=64)
def _compressed(css: bytes) -> bytes:
    return gzip.compress(css, mtime=0)


def _digest(css: bytes) -> str:
    return blake2b(css, digest_size=8).hexdigest()
