"""Answers up to a second old, for callers who allow that: a request with ``Cache-Control: max-age=1`` (RFC 9111).

What everybody asks for, such as the top of a board, then costs no trip to Redis. Without the header every answer is
read anew. The answer's ``as_of`` says from when it is. The trap: the time counts from before the reading, so an answer
that took long to read is not kept for long.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from leaderboards.api.http.access import key_of, may_lag
from leaderboards.api.http.responses import JSON, PUBLIC, not_modified, tag_of, with_etag

CACHE_BYTES = 4_000_000  # in each process
OVERHEAD_BYTES = 500  # of one answer: its address, its tag
_ALLOWS_A_SECOND = re.compile(r"(?:^|[ ,])max-age=0*[1-9]", re.IGNORECASE)


class _Kept(NamedTuple):
    content: bytes
    tag: str


def _weight(kept: _Kept) -> int:
    return OVERHEAD_BYTES + len(kept.content)


# Callers without a key may ask for fewer rows, and those who may not write read from replicas.
_Key = tuple[str, bool, bool]
_answers: MicroCache[_Key, _Kept] = MicroCache(CACHE_BYTES, weigh=_weight)


def recent_or(request: HttpRequest, read: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the response of ``read``, or one with what it answered to the same address within the last second.

    The latter only if the caller allows it, and only public boards. ``read`` must be about no player of the caller's.
    """
    if not _ALLOWS_A_SECOND.search(request.META.get("HTTP_CACHE_CONTROL", "")):
        return read()
    key = request.get_full_path(), key_of(request) is None, may_lag(request)
    kept = _answers.get_fresh(key)
    if kept is not None:
        response = not_modified(request, kept.tag) or HttpResponse(kept.content, content_type=JSON)
        response["Age"] = "0"  # whole seconds
        return with_etag(response, kept.tag, private=False)
    begun = clock.monotonic()
    response = read()
    if response.status_code == 200 and response["Cache-Control"] == PUBLIC:
        _answers.put(key, _Kept(response.content, tag_of(response)), begun)
    return response


def clear_recent_answers() -> None:
    """Forget all answers (for tests)."""
    _answers.forget()
