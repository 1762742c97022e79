"""Answers up to a second old, for callers who allow that: a request with ``Cache-Control: max-age=1`` (RFC 9111).

What everybody asks for, such as the top of a board, then costs no trip to Redis. With a greater number, score ranges
may answer with an older state (``stores/redis/ranged.py``). Without the header every answer is read anew. The answer's
``as_of`` says from when it is. The trap: the time counts from before the reading, so an answer that took long to read
is not kept for long.
"""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from foundation.http.encoding import as_json, etag_bytes
from leaderboards.api.http.access import key_of, may_lag
from leaderboards.api.http.responses import JSON, etag_digest, etag_response, not_modified, with_etag
from leaderboards.selectors.rankings.lagging import reading_older

CACHE_BYTES = 4_000_000  # in each process
OVERHEAD_BYTES = 1_000  # of one answer: its key and its tag
OLDEST_SECONDS = 10  # of an answer from score ranges; others are a second old at most
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
    seconds = allowed_seconds(request)
    if not seconds:
        return etag_response(request, *read())
    key = (asked, seconds), key_of(request) is None, may_lag(request)
    kept, is_private = _answers.get_fresh(key), False
    is_new = kept is None
    if kept is None:
        begun = clock.monotonic()
        with reading_older(seconds - 1):  # the last second is that of this cache
            content, is_private = read()
        kept = _Kept(as_json(content), etag_digest(etag_bytes(content)))
        if not is_private:
            _answers.put(key, kept, begun)
    response = not_modified(request, kept.tag) or HttpResponse(kept.content, content_type=JSON)
    if not is_new:
        response["Age"] = "0"  # whole seconds
    return with_etag(response, kept.tag, is_private)


def older_rows(request: HttpRequest) -> AbstractContextManager[None]:
    """What is read meanwhile may be as old as the request allows, where score ranges tell it."""
    return reading_older(allowed_seconds(request))


def allowed_seconds(request: HttpRequest) -> int:
    """How many seconds old an answer to this request may be, at most: the strictest directive decides."""
    cache_control = request.META.get("HTTP_CACHE_CONTROL", "")
    if not cache_control:
        return 0
    directives = [each.strip().lower().partition("=") for each in cache_control.split(",")]
    ages = [age.strip('"') for name, _, age in directives if name == "max-age"]
    wants_fresh = any(name in _FRESH for name, *_ in directives)
    if wants_fresh or not ages or not all(age.isascii() and age.isdigit() for age in ages):
        return 0
    return min(OLDEST_SECONDS, *(int(age[:9]) for age in ages))


def clear_recent_answers() -> None:
    """Forget all answers (for tests)."""
    _answers.forget()
