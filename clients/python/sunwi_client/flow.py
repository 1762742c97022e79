"""What is asked and how it is asked again: the rules of both clients, without a socket, a clock's sleep or a thread.

A course of requests is a generator. It yields a ``Call`` to be sent and is told the ``Reply``, or the ``NoAnswer`` that
came instead; it yields a ``Pause`` to be waited for; it returns what the caller gets. The trap: a call that may not be
obeyed twice is never repeated once it may have arrived.
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
    """A request; ``address`` is percent-encoded, below the site's. ``is_idempotent``: it counts once, also if obeyed
    twice."""

    method: str
    address: str
    body: bytes | None = None
    is_idempotent: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, whatever its status. ``retry_after`` in seconds, None where the server names none."""

    status: int
    content: bytes
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


T = TypeVar("T")
Outcome = Reply | NoAnswer | None
RequestFlow = Generator[Call | Pause, Outcome, T]


def call(method: str, *segments: str | int, query: Mapping[str, Value] | None = None, body: object = None) -> Call:
    """A request of the address that ``segments`` make, below ``/api/v1``. Raises ``ValueError`` for one that no address
    can hold: an empty one, ``.``, ``..`` or one with a slash."""
    for segment in map(str, segments):
        if segment in ("", ".", "..") or "/" in segment:
            raise ValueError(f"{segment!r} names nothing: no id is empty, `.` or `..`, or has a slash in it.")
    named = {name: _shown(value) for name, value in (query or {}).items() if value is not None}
    address = "/".join((BASE, *(quote(str(segment), safe="") for segment in segments)))
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    return Call(method, address + (f"?{urlencode(named)}" if named else ""), content, method == "GET")


def _shown(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Gate:
    """Shut for all calls of a client while its key has asked too much."""

    def __init__(self) -> None:
        self._opens = 0.0

    def shut(self, seconds: float) -> None:
        """Let nothing through for so long, and not for less than was said before."""
        self._opens = max(self._opens, time.monotonic() + seconds)

    def seconds_left(self) -> float:
        """How long it stays shut; 0 where it is open."""
        return max(0.0, self._opens - time.monotonic())


def request_flow(sent: Call, retry_policy: RetryPolicy, gate: Gate) -> RequestFlow[Any]:
    """The answer's content, None for an empty one. Raises ``Refused``, ``NoAnswer`` or ``NotSunwi``."""
    ends = time.monotonic() + retry_policy.seconds
    tries = 0
    while True:
        if (shut := gate.seconds_left()) > 0:
            if time.monotonic() + shut > ends:
                raise refusal(429, {"code": "rate_limited", "detail": "The server has asked to wait."}, shut)
            yield Pause(shut)
        told = yield sent
        failed = _failure(told)
        if failed is None:
            return read(told)
        tries += 1
        seconds = retry_policy.pause(tries, failed.retry_after)
        if isinstance(failed, RateLimited):
            gate.shut(seconds)
        if not may_repeat(sent, failed) or time.monotonic() + seconds > ends:
            raise failed
        yield Pause(seconds)


def may_repeat(sent: Call, failed: SunwiError) -> bool:
    """Whether asking again is safe, and may help."""
    if isinstance(failed, RateLimited) or (isinstance(failed, Unavailable) and failed.code == "unavailable"):
        return True  # nothing was done
    return sent.is_idempotent and isinstance(failed, NoAnswer | Unavailable)


def _failure(told: Outcome) -> SunwiError | None:
    if not isinstance(told, Reply):
        return told
    if 200 <= told.status < 300:
        return None
    try:
        problem = json.loads(told.content)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return refusal(told.status, problem, told.retry_after)
    if told.status in (429, 502, 503, 504):  # of a proxy
        code = {429: "rate_limited", 503: "unavailable"}.get(told.status, "outcome_unknown")
        return refusal(told.status, {"code": code, "detail": "A proxy said so."}, told.retry_after)
    return NotSunwi(f"{told.status} without a problem document: {told.content[:100]!r}")


def read(told: Outcome) -> Any:
    """The content of an answer, None for an empty one; decimals are exact. Raises ``NotSunwi``."""
    if not isinstance(told, Reply) or not told.content:
        return None
    try:
        return json.loads(told.content, parse_float=Decimal)
    except ValueError as error:
        raise NotSunwi(f"{told.status} with what is no JSON: {told.content[:100]!r}") from error
