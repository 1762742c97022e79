"""Serve several style sheets, or several scripts, in one response: each component has its own file, and a page makes
one request.

The address contains a digest of the content, so browsers cache it for a year; in development each change gives a new
address. Only files in static/css and static/js can be named. Comments and indentation are left out.

Each script gets a block of its own, so names of one are unknown to the others, and what one throws stops none after it.
"""

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass
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
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)  # no string in a style sheet contains this


def _sheet(text: str) -> str:
    return _lines(_COMMENT.sub("", text))


def _script(text: str) -> str:
    own = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return f"try{{\n{_lines(own)}\n}}catch(error){{reportError(error)}}"


def _lines(text: str) -> str:
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is bundled: its address by name, the folder of its files and their ending, what is written for each."""

    name: str
    folder: str
    content_type: str
    written: Callable[[str], str]


STYLES = Kind("styles", "css", "text/css; charset=utf-8", _sheet)
SCRIPTS = Kind("scripts", "js", "text/javascript; charset=utf-8", _script)


def address_of(names: str, kind: Kind = STYLES) -> str:
    """Return the address of these files (names separated by spaces) in one response, in this order."""
    joined = SEPARATOR.join(names.split())
    return reverse(kind.name, args=[_digest(_bundle(kind, joined)), joined])


@require_safe
def styles(request: HttpRequest, digest: str, names: str) -> HttpResponse:
    """Return the sheets; 404 for an unknown name. An outdated digest gets the current content, not to be cached."""
    return _response(request, STYLES, digest, names)


@require_safe
def scripts(request: HttpRequest, digest: str, names: str) -> HttpResponse:
    """Return the scripts; 404 for an unknown name. An outdated digest gets the current content, not to be cached."""
    return _response(request, SCRIPTS, digest, names)


def _response(request: HttpRequest, kind: Kind, digest: str, names: str) -> HttpResponse:
    content = _bundle(kind, names)
    response = HttpResponse(content, content_type=kind.content_type)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.content = _compressed(content)
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    is_current = digest == _digest(content)
    response["Cache-Control"] = f"public, max-age={YEAR}, immutable" if is_current else "no-cache"
    return response


def _bundle(kind: Kind, names: str) -> bytes:
    return _read_cached(kind, names) if not settings.DEBUG else _read(kind, names)


@lru_cache(maxsize=128)
def _read_cached(kind: Kind, names: str) -> bytes:
    return _read(kind, names)


def _read(kind: Kind, names: str) -> bytes:
    folder = file_locations.folder("static") / kind.folder
    known = {each.stem: each for each in folder.glob(f"*.{kind.folder}")}
    wanted = names.split(SEPARATOR)
    if len(wanted) > len(known) or any(name not in known for name in wanted):
        raise Http404("There is no such file.")
    return "\n".join(kind.written(known[name].read_text("utf-8")) for name in wanted).encode()


@lru_cache(maxsize=128)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
