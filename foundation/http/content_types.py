"""A ``Content-Type`` that Django itself cannot read: refused before there is a request.

Django decodes addresses and forms by the ``charset`` that the caller names. One that decodes no texts (``base64``) or
not all (``idna``) fails as the request is made, or wherever something first looks at it: a 500 without a sentence. The
trap: it must stand outside of Django's handler, since no middleware is asked before the request is made.
"""

import codecs
from collections.abc import Iterable
from typing import Any

from django.utils.http import parse_header_parameters

from foundation.http.problems import BadContentType, respond
from foundation.http.request_bodies import Application

ANY_BYTES = bytes(range(256))


def reject_unreadable_charsets(site: Application) -> Application:
    """``site``, behind a 400 for callers whose ``Content-Type`` cannot be read."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        kind = environ.get("CONTENT_TYPE", "")
        if ";" not in kind or is_readable(kind):
            return site(environ, start_response)
        refusal = respond(BadContentType("The Content-Type cannot be read; send `charset=utf-8`, or no charset."))
        start_response(f"{refusal.status_code} {refusal.reason_phrase}", list(refusal.items()))
        return [refusal.content]

    return answer


def is_readable(content_type: str) -> bool:
    """Whether Django can read the header, and whatever comes in the charset that it names. A name that nobody knows is
    passed over, as Django does."""
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
        if charset is not None and _is_known(charset):
            ANY_BYTES.decode(charset, "replace")
    except (LookupError, ValueError):
        return False
    return True


def _is_known(charset: str) -> bool:
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True
