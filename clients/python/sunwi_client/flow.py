"""Requests and retries, shared by both clients, without sockets, sleeping or threads.

A flow is a generator. It yields a ``Call`` to send and receives the ``Reply`` or a ``NoAnswer``; it yields a ``Pause``
to wait; it returns the result. The trap: a call that is not idempotent is never repeated once it may have arrived.
"""

import json
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from sunwi_client.errors import NoAnswer, NotSunwi, RateLimited, SunwiError, Unavailable, refusal
from sunwi_client.retry_policy import RetryPolicy

BASE = "/api/v1"
Value = str | int | bool | None


@dataclass(frozen=True, slots=True)
class Call:
    """A request. ``address`` is percent-encoded, relative to the site. ``is_idempotent``: sending it twice is safe."""

    method: str
    address: str
    body: bytes | None = None
    is_idempotent: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of any status. ``retry_after`` is in seconds, None without that header."""

    status: int
    content: bytes
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait of ``seconds``."""

    seconds: float


T = TypeVar("T")
Outcome = Reply | NoAnswer | None
RequestFlow = Generator[Call | Pause, Outcome, T]


def call(method: str, *segments: str | int, query: Mapping[str, Value] | None = None, body: object = None) -> Call:
    """Build a request of the path ``/api/v1/<segments>``.

    Raises ``ValueError`` for a segment that is empty, ``.`` or ``..``, or contains a slash.
    """
    for segment in map(str, segments):
        if segment in ("", ".", "..") or "/" in segment:
            raise ValueError(f"{segment!r} names nothing: no id is empty, `.` or `..`, or has a slash in it.")
    parameters = {name: _format(value) for name, value in (query or {}).items() if value is not None}
    address = "/".join((BASE, *(quote(str(segment), safe="") for segment in segments)))
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    return Call(method, address + (f"?{urlencode(parameters)}" if parameters else ""), content, method == "GET")


def _format(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Gate:
    """Blocks all calls of a client while its key is over the rate limit."""

    def __init__(self) -> None:
        self._opens_at = 0.0

    def shut(self, seconds: float) -> None:
        """Block for ``seconds``, or until the end of an earlier, longer block."""
        self._opens_at = max(self._opens_at, time.monotonic() + seconds)

    def seconds_left(self) -> float:
        """How long it blocks; 0 if it is open."""
        return max(0.0, self._opens_at - time.monotonic())


def request_flow(request: Call, retry_policy: RetryPolicy, gate: Gate) -> RequestFlow[Any]:
    """Send a request, with retries; return the answer's content, None for an empty one.

    Raises ``Refused``, ``NoAnswer`` or ``NotSunwi``.
    """
    ends = time.monotonic() + retry_policy.seconds
    tries = 0
    while True:
        if (blocked := gate.seconds_left()) > 0:
            if time.monotonic() + blocked > ends:
                raise refusal(429, {"code": "rate_limited", "detail": "The server has asked to wait."}, blocked)
            yield Pause(blocked)
        outcome = yield request
        error = _error_of(outcome)
        if error is None:
            return read(outcome)
        tries += 1
        seconds = retry_policy.pause(tries, error.retry_after)
        if isinstance(error, RateLimited):
            gate.shut(seconds)
        if not may_repeat(request, error) or time.monotonic() + seconds > ends:
            raise error
        yield Pause(seconds)


def may_repeat(request: Call, error: SunwiError) -> bool:
    """Whether a retry is safe and may succeed."""
    if isinstance(error, RateLimited) or (isinstance(error, Unavailable) and error.code == "unavailable"):
        return True  # nothing was done
    return request.is_idempotent and isinstance(error, NoAnswer | Unavailable)


def _error_of(outcome: Outcome) -> SunwiError | None:
    if not isinstance(outcome, Reply):
        return outcome
    if 200 <= outcome.status < 300:
        return None
    try:
        problem = json.loads(outcome.content)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return refusal(outcome.status, problem, outcome.retry_after)
    if outcome.status in (429, 502, 503, 504):  # from a proxy
        code = {429: "rate_limited", 503: "unavailable"}.get(outcome.status, "outcome_unknown")
        return refusal(outcome.status, {"code": code, "detail": "A proxy said so."}, outcome.retry_after)
    return NotSunwi(f"{outcome.status} without a problem document: {outcome.content[:100]!r}")


def read(outcome: Outcome) -> Any:
    """The JSON content of an answer, with exact decimals; None for an empty one. Raises ``NotSunwi``."""
    if not isinstance(outcome, Reply) or not outcome.content:
        return None
    try:
        return json.loads(outcome.content, parse_float=Decimal)
    except ValueError as error:
        raise NotSunwi(f"{outcome.status} with what is no JSON: {outcome.content[:100]!r}") from error
