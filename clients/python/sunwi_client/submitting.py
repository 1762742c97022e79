"""Submitting: whatever had no answer, or an answer that leaves it open, is sent again with the same ids.

The trap: a later try that fails must not take the results of an earlier one with it.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from sunwi_client.answers import Result
from sunwi_client.errors import SunwiError
from sunwi_client.flow import Call, Gate, Pause, RequestFlow, call, request_flow
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score

MOST_SCORES = 1000
COUNTED = frozenset({"updated", "unchanged", "duplicate"})


def counted(result: Result) -> bool:
    """Whether the score counts: now, or since an earlier try."""
    return result["status"] in COUNTED


def is_open(result: Result) -> bool:
    """Whether the same score, sent again with its id, may still count."""
    return result["status"] == "unknown" or (result["status"] == "rejected" and result.get("code") == "unavailable")


def submit_flow(
    scores: Sequence[Score], retry_policy: RetryPolicy, gate: Gate, *, ranks: bool = False, dry_run: bool = False
) -> RequestFlow[list[Result]]:
    """One result for each score, in their order. Raises as ``request_flow`` does where nothing is known of any of them,
    and
    ``ValueError`` for more than 1,000."""
    if len(scores) > MOST_SCORES:
        raise ValueError(f"{len(scores):,} scores: send up to {MOST_SCORES:,} at once, or let a Sender part them.")
    ends = time.monotonic() + retry_policy.seconds
    results: dict[int, Result] = {}
    waiting, tries = list(range(len(scores))), 0
    while waiting:
        left = replace(retry_policy, seconds=max(0.0, ends - time.monotonic()))
        try:
            answer = yield from request_flow(_posted([scores[each] for each in waiting], ranks, dry_run), left, gate)
        except SunwiError:
            if len(results) < len(scores):
                raise
            break
        results.update(zip(waiting, answer["results"], strict=True))
        waiting, tries = [each for each in waiting if is_open(results[each])], tries + 1
        seconds = retry_policy.pause(tries, None)
        if not waiting or time.monotonic() + seconds > ends:
            break
        yield Pause(seconds)
    return [results[each] for each in range(len(scores))]


def _posted(scores: Sequence[Score], ranks: bool, dry_run: bool) -> Call:
    asked_for = {"ranks": ranks or None, "dry_run": dry_run or None}
    posted = call("POST", "scores", query=asked_for, body={"entries": [score.entry() for score in scores]})
    return replace(posted, is_idempotent=True)  # each has its id
