"""Requests and retries, shared by both clients, without sockets, sleeping or threads.

A flow is a generator. It yields a ``Call`` to send and receives the ``Reply`` or a ``NoAnswer``; it yields a ``Pause``
to wait; it returns the result. The trap: a call that is not idempotent is never repeated once it may have arrived.
"""

import json
import logging
import re
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from sunwi_client.errors import Conflict, NoAnswer, NotFound, NotSunwi, RateLimited, SunwiError, Unavailable, refusal
from sunwi_client.retry_policy import RetryPolicy, spread

logger = logging.getLogger(__name__)
BASE = "/api/v1"
Value = str | int | bool | None
# What the API lets repeat (docs/api.md): reads, and writes that say how it shall be. Not likes of kinds that the site
# may have registered as repeatable, and no removal from a board, which would take a score that came meanwhile along.
REPEATABLE = re.compile(
    r"GET .*|PUT players/[^/]+|(PUT|DELETE) (competitions/[^/]+/players/[^/]+|likes/comment/[^/]+/[^/]+)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Call:
    """A request. ``address`` is percent-encoded, relative to the site. ``is_idempotent``: sending it twice is safe.

    ``member`` is one that the answer has: without it, the answer is not from the API. ``max_age``: the answer may be
    this old, in seconds; None is read anew.
    """

    method: str
    address: str
    body: bytes | None = None
    is_idempotent: bool = True
    member: str = ""
    max_age: int | None = None

    def giving(self, member: str) -> "Call":
        """The same request, whose answer has this member."""
        return replace(self, member=member)

    def aged(self, seconds: int | None) -> "Call":
        """The same request, whose answer may be this old. Raises ``ValueError`` for less than 0."""
        if seconds is not None and seconds < 0:
            raise ValueError(f"max_age={seconds}: no answer is younger than 0 seconds.")
        return replace(self, max_age=seconds)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of any status. ``retry_after``, in seconds, and ``request_id`` are None without those headers."""

    status: int
    content: bytes
    retry_after: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait of ``seconds``."""

    seconds: float


T = TypeVar("T")
Outcome = Reply | NoAnswer | None
RequestFlow = Generator[Call | Pause, Outcome, T]


def call(
    method: str,
    *segments: str | int,
    query: Mapping[str, Value] | None = None,
    body: object = None,
    is_idempotent: bool | None = None,
) -> Call:
    """Build a request of the path ``/api/v1/<segments>``. By default reads are idempotent, and states of players.

    Raises ``ValueError`` for a segment that is empty, ``.`` or ``..``, or contains a slash.
    """
    for segment in map(str, segments):
        if segment in ("", ".", "..") or "/" in segment:
            raise ValueError(f"{segment!r} names nothing: no id is empty, `.` or `..`, or has a slash in it.")
    parameters = {name: _format(value) for name, value in (query or {}).items() if value is not None}
    path = "/".join(quote(str(segment), safe="") for segment in segments)
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    if is_idempotent is None:
        is_idempotent = REPEATABLE.fullmatch(f"{method} {path}") is not None
    return Call(method, f"{BASE}/{path}" + (f"?{urlencode(parameters)}" if parameters else ""), content, is_idempotent)


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
    tries, is_in_doubt = 0, False
    while True:
        if (blocked := gate.seconds_left()) > 0:
            if time.monotonic() + blocked > ends:
                raise refusal(429, {"code": "rate_limited", "detail": "The server has asked to wait."}, blocked)
            yield Pause(spread(blocked))
        outcome = yield request
        try:
            return read(request, outcome)
        except SunwiError as caught:
            error = caught
        tries += 1
        seconds = retry_policy.pause(tries, error.retry_after)
        if isinstance(error, RateLimited):
            gate.shut(seconds)
        if not may_repeat(request, error) or time.monotonic() + seconds > ends:
            if is_in_doubt and isinstance(error, Conflict | NotFound):
                error.add_note("It was sent before without an answer, and may have been done then.")
            raise error
        is_in_doubt = is_in_doubt or (request.method != "GET" and not was_undone(error))
        log_retry(request, error, seconds)
        yield Pause(seconds)


def log_retry(request: Call, error: SunwiError, seconds: float) -> None:
    """Log that a request is sent again, without its query."""
    address = request.address.partition("?")[0]
    what = f"{type(error).__name__} {error.status or ''}".rstrip()
    tail = f" (request {error.request_id})" if error.request_id else ""
    logger.info("%s %s: %s; sent again in %.1f s%s", request.method, address, what, seconds, tail)


def may_repeat(request: Call, error: SunwiError) -> bool:
    """Whether a retry is safe and may succeed."""
    return was_undone(error) or (request.is_idempotent and error.is_temporary)


def was_undone(error: SunwiError) -> bool:
    """Whether the server said that nothing was done."""
    return isinstance(error, RateLimited) or (isinstance(error, Unavailable) and error.code == "unavailable")


def read(request: Call, outcome: Outcome) -> Any:
    """The JSON content of an answer, with exact decimals; None for a 204.

    Raises ``Refused``, ``NoAnswer``, or ``NotSunwi`` for what the API does not answer.
    """
    if not isinstance(outcome, Reply):
        raise outcome or NoAnswer("There is no answer.")
    try:
        return _content_of(request, outcome) if 200 <= outcome.status < 300 else _refuse(outcome)
    except SunwiError as error:
        error.retry_after, error.request_id = outcome.retry_after, outcome.request_id
        if outcome.request_id is not None:
            error.add_note(f"The server's log has it as {outcome.request_id}.")
        raise


def _content_of(request: Call, reply: Reply) -> Any:
    if reply.status == 204:
        return None
    try:
        content = _read_json(reply.content)
    except ValueError:
        raise NotSunwi(reply.status, "with what is no JSON", reply.content) from None
    if request.member and not (isinstance(content, dict) and request.member in content):
        raise NotSunwi(reply.status, f"without `{request.member}`", reply.content)
    return content


def _read_json(content: bytes) -> Any:
    """The value, with exact decimals. Raises ``ValueError``, also for one that is too deep or too large to be held."""
    try:
        return json.loads(content, parse_float=Decimal)
    except (RecursionError, ArithmeticError) as error:
        raise ValueError("It is JSON that cannot be held.") from error


def _refuse(reply: Reply) -> None:
    try:
        problem = _read_json(reply.content)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        raise refusal(reply.status, problem)
    if reply.status in (429, 502, 503, 504):  # from a proxy, which may have passed it on before
        code = "rate_limited" if reply.status == 429 else "outcome_unknown"
        raise refusal(reply.status, {"code": code, "detail": "A proxy said so."})
    if reply.status == 413:  # a proxy's limit may be lower than the server's
        raise refusal(reply.status, {"code": "body_too_large", "detail": "A proxy takes no body of this size."})
    raise NotSunwi(reply.status, "without a problem document", reply.content)
