"""Answers up to a second old, for callers who allow that: a request with ``Cache-Control: max-age=1`` (RFC 9111).

What everybody asks for, such as the top of a board, then costs no trip to Redis. Without the header every answer is
read anew. The answer's ``as_of`` says from when it is. The trap: the time counts from before the reading, so an answer
that took long to read is not kept for long.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from foundation.http.encoding import as_json, etag_bytes
from leaderboards.api.http.access import key_of, may_lag
from leaderboards.api.http.responses import JSON, etag_digest, etag_response, not_modified, with_etag

CACHE_BYTES = 4_000_000  # in each process
OVERHEAD_BYTES = 1_000  # of one answer: its key and its tag
_FRESH = frozenset({"no-cache", "no-store", "min-fresh"})


class _Kept(NamedTuple):
    content: bytes
    tag: str


def _weight(kept: _Kept) -> int:
    return OVERHEAD_BYTES + len(kept.content)


# Callers without a key may ask for fewer rows, and those who may not write read from replicas.
_Key = tuple[Hashable, bool, bool]
_answers: MicroCache[_Key, _Kept] = MicroCache(CACHE_BYTES, weigh=_weight)


def recent_response(request: HttpRequest, asked: Hashable, read: Callable[[], tuple[Any, bool]]) -> HttpResponse:
    """The response with the content that ``read`` returns, or that it returned for the same ``asked`` a second ago.

    ``read`` also returns whether its content is private: that is not kept. Nothing in it may be about the caller.
    ``asked`` is what the content depends on, at most some hundred bytes.
    """
    if not allows_a_second(request.META.get("HTTP_CACHE_CONTROL", "")):
        return etag_response(request, *read())
    key = asked, key_of(request) is None, may_lag(request)
    kept, is_private = _answers.get_fresh(key), False
    is_new = kept is None
    if kept is None:
        begun = clock.monotonic()
        content, is_private = read()
        kept = _Kept(as_json(content), etag_digest(etag_bytes(content)))
        if not is_private:
            _answers.put(key, kept, begun)
    response = not_modified(request, kept.tag) or HttpResponse(kept.content, content_type=JSON)
    if not is_new:
        response["Age"] = "0"  # whole seconds
    return with_etag(response, kept.tag, is_private)


def allows_a_second(cache_control: str) -> bool:
    """Whether a request with this header takes an answer that is a second old: the strictest directive decides."""
    if not cache_control:
        return False
    directives = [each.strip().lower().partition("=") for each in cache_control.split(",")]
    ages = [age.strip('"') for name, _, age in directives if name == "max-age"]
    wants_fresh = any(name in _FRESH for name, *_ in directives)
    return not wants_fresh and bool(ages) and all(age.isascii() and age.isdigit() and int(age[:9]) > 0 for age in ages)


def clear_recent_answers() -> None:
    """Forget all answers (for tests)."""
    _answers.forget()
