"""Requests as they go out: the site's address, the key, and the signature of each try."""

from typing import TypedDict

import httpx2

from sunwi_client.errors import NoAnswer
from sunwi_client.flow import Call, Reply
from sunwi_client.signing import signature_headers

TIMEOUT_SECONDS = 10.0


class Parts(TypedDict):
    """What an HTTP client builds a request of."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    content: bytes | None


class Site:
    """A site and the key that it is asked with. Neither key nor secret is in its ``repr``."""

    def __init__(self, address: str, key: str | None, secret: str | None) -> None:
        """Raises ``ValueError`` for an address that is none, and for a secret without a key."""
        self._url = _url(address)
        if secret is not None and key is None:
            raise ValueError("A signing secret goes with its key: give `key` too.")
        self._key, self._secret = key, secret

    def __repr__(self) -> str:
        return f"Site({str(self._url)!r})"

    def parts(self, call: Call) -> Parts:
        """One try of ``call``."""
        address = self._url.path.rstrip("/") + call.address
        url = self._url.copy_with(raw_path=address.encode("ascii"))
        headers = {"Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if self._secret is not None:
            headers |= signature_headers(call.method, url.raw_path.decode(), call.body or b"", self._secret)
        return {"method": call.method, "url": url, "headers": headers, "content": call.body}


def _url(address: str) -> httpx2.URL:
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.userinfo:
        raise ValueError(f"{address!r} is no site: write it like https://boards.example.")
    return url


def reply_of(response: httpx2.Response) -> Reply:
    """What was answered."""
    spelled = response.headers.get("Retry-After", "")
    retry_after = float(spelled) if spelled.isascii() and spelled.isdigit() else None
    return Reply(response.status_code, response.content, retry_after)


def no_answer(call: Call, error: Exception) -> NoAnswer:
    """That nothing came back, with what the library says of it."""
    return NoAnswer(f"{call.method} {call.address}: no answer ({type(error).__name__}: {error})".removesuffix(": )"))
