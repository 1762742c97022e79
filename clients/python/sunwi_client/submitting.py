"""Submitting scores: those without an answer, or with an open result, are sent again with the same ids.

The trap: if a later try fails, the results of earlier tries must not be lost.
"""

import reprlib
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sunwi_client.answers import Result
from sunwi_client.errors import NotSunwi, SunwiError
from sunwi_client.flow import Call, Gate, Pause, RequestFlow, call, request_flow
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score

MOST_SCORES = 1000
COUNTED = frozenset({"updated", "unchanged", "duplicate"})


def counted(result: Result) -> bool:
    """Whether the score counts, from this try or an earlier one."""
    return result["status"] in COUNTED


def is_open(result: Result) -> bool:
    """Whether the score may still count if it is sent again with its id."""
    return result["status"] == "unknown" or (result["status"] == "rejected" and result.get("code") == "unavailable")


def submit_flow(
    scores: Sequence[Score], retry_policy: RetryPolicy, gate: Gate, *, ranks: bool = False, dry_run: bool = False
) -> RequestFlow[list[Result]]:
    """Submit scores and return one result for each, in order.

    Raises as ``request_flow`` does if some score has no result at all, and ``ValueError`` for more than 1,000 scores.
    """
    if len(scores) > MOST_SCORES:
        raise ValueError(f"{len(scores):,} scores: send up to {MOST_SCORES:,} at once, or let a Sender part them.")
    ends = time.monotonic() + retry_policy.seconds
    results: dict[int, Result] = {}
    waiting, tries = list(range(len(scores))), 0
    while waiting:
        left = replace(retry_policy, seconds=max(0.0, ends - time.monotonic()))
        try:
            request = _build_call([scores[each] for each in waiting], ranks, dry_run)
            told = _results_of((yield from request_flow(request, left, gate)), len(waiting))
        except SunwiError:
            if len(results) < len(scores):
                raise
            break
        results.update(zip(waiting, told, strict=True))
        waiting, tries = [each for each in waiting if is_open(results[each])], tries + 1
        seconds = retry_policy.pause(tries, None)
        if not waiting or time.monotonic() + seconds > ends:
            break
        yield Pause(seconds)
    return [results[each] for each in range(len(scores))]


def _build_call(scores: Sequence[Score], ranks: bool, dry_run: bool) -> Call:
    query = {"ranks": ranks or None, "dry_run": dry_run or None}
    request = call("POST", "scores", query=query, body={"entries": [score.entry() for score in scores]})
    return replace(request, is_idempotent=True, member="results")  # idempotent by the scores' ids


def _results_of(answer: Any, count: int) -> list[Result]:
    results = answer["results"] if isinstance(answer, dict) else None
    told = results if isinstance(results, list) else []
    if len(told) == count and all(isinstance(each, dict) and isinstance(each.get("status"), str) for each in told):
        return cast(list[Result], told)
    excerpt = reprlib.repr(answer).encode("ascii", "backslashreplace")  # of few levels, however deep the answer is
    raise NotSunwi(200, f"without the results of {count} scores", excerpt)
