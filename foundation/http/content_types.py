"""Refuse a ``Content-Type`` that Django cannot read, before Django builds the request.

Django decodes URLs and forms with the ``charset`` that the caller names. One that does not decode text (``base64``),
or not all bytes (``idna``), raises an error in Django and would be a 500. The trap: this must wrap Django's handler,
because no middleware runs before the request object is built.
"""

import codecs
from collections.abc import Iterable
from typing import Any

from django.utils.http import parse_header_parameters

from foundation.http.problems import BadContentType, respond
from foundation.http.request_bodies import Application

ANY_BYTES = bytes(range(256))
OF_HOST_NAMES = {"idna", "punycode"}  # Python 3.14 decodes any bytes by the latter, to something else than was sent


def reject_unreadable_charsets(site: Application) -> Application:
    """Wrap the WSGI application ``site``: answer 400 if the ``Content-Type`` cannot be read."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        content_type = environ.get("CONTENT_TYPE", "")
        if ";" not in content_type or is_readable(content_type):
            return site(environ, start_response)
        refusal = respond(BadContentType("The Content-Type cannot be read; send `charset=utf-8`, or no charset."))
        start_response(f"{refusal.status_code} {refusal.reason_phrase}", list(refusal.items()))
        return [refusal.content]

    return answer


def is_readable(content_type: str) -> bool:
    """Whether Django can read the header, and any bytes in its charset. An unknown charset is ignored, as in Django."""
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
        name = _codec_of(charset) if charset is not None else ""
        if not name:
            return True
        ANY_BYTES.decode(name, "replace")
    except (LookupError, ValueError):
        return False
    return name not in OF_HOST_NAMES


def _codec_of(charset: str) -> str:
    """Python's name of the charset; empty for one that it does not know."""
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return ""
