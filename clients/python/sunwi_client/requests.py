"""Build HTTP requests: the site's address, the key, and the signature and the time of each try."""

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypedDict

import httpx2

from sunwi_client.errors import NoAnswer
from sunwi_client.flow import Call, Reply
from sunwi_client.signing import signature_headers
from sunwi_client.version import __version__

TIMEOUT_SECONDS = 10.0
LONGEST_WAIT = 300.0  # no server asks for more; a proxy that sends milliseconds would stop a game for days
USER_AGENT = f"sunwi-client/{__version__}"


class Parts(TypedDict):
    """The arguments of ``httpx2``'s ``build_request``."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    content: bytes | None


class Site:
    """A site's address, key and signing secret. Its ``repr`` contains neither key nor secret."""

    def __init__(self, address: str, key: str | None, secret: str | None) -> None:
        """Raise ``ValueError`` for an invalid address, and for a secret without a key."""
        self._parse_url = _parse_url(address)
        if secret is not None and key is None:
            raise ValueError("A signing secret goes with its key: give `key` too.")
        self._key, self._secret = key, secret

    def __repr__(self) -> str:
        return f"Site({str(self._parse_url)!r})"

    def parts(self, call: Call) -> Parts:
        """The request for one try of ``call``."""
        address = self._parse_url.path.rstrip("/") + call.address
        url = self._parse_url.copy_with(raw_path=address.encode("ascii"))
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if call.max_age is not None:
            headers["Cache-Control"] = f"max-age={call.max_age}"
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if self._secret is not None:
            headers |= signature_headers(call.method, url.raw_path.decode(), call.body or b"", self._secret)
        return {"method": call.method, "url": url, "headers": headers, "content": call.body}


def _parse_url(address: str) -> httpx2.URL:
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.userinfo:
        raise ValueError(f"{address!r} is no site: write it like https://boards.example.")
    return url


class Deadline(dict[str, float]):
    """The timeouts of one try, as the HTTP library asks for them at each phase: what is left of the whole."""

    def __init__(self, seconds: float) -> None:
        super().__init__(dict.fromkeys(("connect", "read", "write", "pool"), seconds))
        self._ends = time.monotonic() + seconds

    def get(self, phase: str, default: Any = None) -> Any:
        """Seconds left, and more than 0."""
        return max(self._ends - time.monotonic(), 0.001) if phase in self else default

    def check(self) -> None:
        """Raise ``httpx2.ReadTimeout`` once it has passed."""
        if time.monotonic() > self._ends:
            raise httpx2.ReadTimeout("The answer took too long.")


def reply_of(response: httpx2.Response, content: bytes) -> Reply:
    """Convert a response of the HTTP library, of which ``content`` was read."""
    headers = response.headers
    return Reply(
        response.status_code, content, _seconds(headers.get("Retry-After", "")), headers.get("X-Request-ID") or None
    )


def _seconds(text: str) -> float | None:
    """Seconds of a ``Retry-After``, which is a number or a date; at most ``LONGEST_WAIT``."""
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_WAIT)
    try:
        seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError):  # a date without a zone, with an endless number, or none
        return None
    return min(max(0.0, seconds), LONGEST_WAIT)


def no_answer(call: Call, error: Exception) -> NoAnswer:
    """The error for a request without an answer, with the library's message."""
    return NoAnswer(f"{call.method} {call.address}: no answer ({type(error).__name__}: {error})".replace(": )", ")"))
