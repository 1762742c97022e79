"""Build HTTP requests: the site's address, the key, and the signature of each try."""

from typing import TypedDict

import httpx2

from sunwi_client.errors import NoAnswer
from sunwi_client.flow import Call, Reply
from sunwi_client.signing import signature_headers

TIMEOUT_SECONDS = 10.0


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
        headers = {"Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
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


def reply_of(response: httpx2.Response) -> Reply:
    """Convert a response of the HTTP library."""
    text = response.headers.get("Retry-After", "")
    retry_after = float(text) if text.isascii() and text.isdigit() else None
    return Reply(response.status_code, response.content, retry_after)


def no_answer(call: Call, error: Exception) -> NoAnswer:
    """The error for a request without an answer, with the library's message."""
    return NoAnswer(f"{call.method} {call.address}: no answer ({type(error).__name__}: {error})".removesuffix(": )"))
