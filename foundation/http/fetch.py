"""Fetch one small file of another site over https, so that readers' browsers never ask that site.

As for webhooks, the name is resolved once, all its addresses must be on the public internet, and the connection goes to
a checked one. Redirects are refused, compression and proxies are not used, and size and time are limited. The trap: a
setting that lets webhooks go to private addresses must not open this way into the private network.
"""

from contextlib import closing
from http.client import HTTPException

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from foundation import clock
from foundation.errors import SunwiError
from foundation.webhooks import addresses
from foundation.webhooks.http_post import connect, limit_time

PORT = 443
TOTAL_SECONDS = 6.0
MAX_BYTES = 2 * 1024 * 1024
TOO_LARGE = "It has more than 2 MB."
AGENT = "Sunwi-Pictures"
GONE = (404, 410)


class NotFetched(Exception):
    """The file could not be fetched, for the reason in the text. ``is_gone`` if the site says that there is none."""

    def __init__(self, reason: str, *, is_gone: bool = False) -> None:
        super().__init__(reason)
        self.is_gone = is_gone


def fetch(url: str, kinds: tuple[str, ...]) -> bytes:
    """Return the content of ``url`` if its type is one of ``kinds``. Raises ``NotFetched``."""
    until = clock.monotonic() + TOTAL_SECONDS
    try:
        return _exchange(url, kinds, until)
    except SunwiError as error:
        raise NotFetched(str(error.detail)) from error
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise NotFetched("It took too long." if clock.monotonic() >= until else f"No answer: {reason}") from error


def _exchange(url: str, kinds: tuple[str, ...], until: float) -> bytes:
    target = addresses.parse(url)
    if target.scheme != "https" or target.port != PORT:
        raise NotFetched("Only https on its usual port is fetched.")
    connection = connect(target, addresses.resolve(target, may_be_private=False), until)
    with closing(connection), limit_time(connection, until):
        sent = {"host": target.authority, "user-agent": AGENT, "accept": ", ".join(kinds)}
        connection.request("GET", target.path, headers=sent, preload_content=False, decode_content=False)
        with closing(connection.getresponse()) as answer:
            content = _content(answer, kinds)
    if clock.monotonic() >= until:  # a body that was cut off looks like a complete one
        raise NotFetched("It took too long.")
    return content


def _content(answer: BaseHTTPResponse, kinds: tuple[str, ...]) -> bytes:
    if answer.status != 200:
        raise NotFetched(f"The site answered {answer.status}.", is_gone=answer.status in GONE)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in kinds:
        raise NotFetched(f"The site sent {kind[:40] or 'no type'}, not one of {', '.join(kinds)}.")
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise NotFetched("The site sent it compressed, which was not asked for.")
    length = answer.headers.get("content-length", "")
    if length.isdigit() and int(length) > MAX_BYTES:
        raise NotFetched(TOO_LARGE)
    content = answer.read(MAX_BYTES + 1, decode_content=False)
    if len(content) > MAX_BYTES:
        raise NotFetched(TOO_LARGE)
    if length.isdigit() and len(content) < int(length):
        raise NotFetched("The answer broke off.")
    return content
