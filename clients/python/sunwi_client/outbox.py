"""The queue of a sender: when a batch is due, which scores are queued again, and which are reported.

It has no threads, locks or clock; both senders call it under their own lock. The trap: scores in flight count as
pending, otherwise the queue would exceed its bound when they come back.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sunwi_client.advice import advice
from sunwi_client.answers import Result
from sunwi_client.errors import BodyTooLarge, NotSunwi, Refused, SunwiError
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.submitting import MOST_SCORES, counted, is_open


class SenderFull(Exception):
    """The queue stayed full: the server is unavailable, or slower than scores are added."""


class SenderClosed(Exception):
    """The sender is closed."""


@dataclass(frozen=True, slots=True)
class UncountedScore:
    """A score that does not count. ``again``: it may be sent again with the same id."""

    score: Score
    code: str
    detail: str
    again: bool = False

    @property
    def todo(self) -> str:
        """What to do about it, in a sentence."""
        return advice(self.code)


@dataclass(frozen=True, slots=True)
class Bounds:
    """A batch is sent with ``size`` scores, or ``seconds`` after its first; up to ``most`` are queued or in flight.

    Raises ``ValueError`` for a size outside 1 to 1,000, for negative seconds, and for ``most`` below ``size``.
    """

    size: int = 500
    seconds: float = 1.0
    most: int = 10_000

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MOST_SCORES:
            raise ValueError(f"`size` is 1 to {MOST_SCORES:,}.")
        if self.seconds < 0:
            raise ValueError("`seconds` is 0 or more.")
        if self.most < self.size:
            raise ValueError("`most` is at least `size`: no batch would ever be full.")


class Outbox:
    """The waiting scores, the oldest first, and the number in flight. ``now`` is in seconds of one clock."""

    def __init__(self, bounds: Bounds, retry_policy: RetryPolicy) -> None:
        self._bounds, self._retry_policy = bounds, retry_policy
        self._size = bounds.size
        self._waiting: deque[tuple[float, Score]] = deque()
        self._in_flight = 0
        self._tries = 0
        self._rests_until = 0.0
        self._has_rested = False  # since the last batch was taken

    @property
    def pending(self) -> int:
        """How many scores wait or are in flight."""
        return len(self._waiting) + self._in_flight

    @property
    def is_full(self) -> bool:
        """Whether no more scores may be added."""
        return self.pending >= self._bounds.most

    def add(self, score: Score, now: float) -> None:
        """Queue a score."""
        self._waiting.append((now, score))

    def add_again(self, score: Score, now: float) -> None:
        """Queue a score that ``on_uncounted`` adds, also beyond the bound: who makes room is who calls it.

        The next batch waits as after a failure, so that a key that stays wrong is not sent as fast as it is refused.
        """
        self.add(score, now)
        if not self._has_rested:
            self._has_rested = True
            self._rest(now, True, None)

    def due_in(self, now: float, hurry: bool) -> float | None:
        """Seconds until a batch is due, 0 or less for now, None if no score waits. ``hurry``: it need not be full."""
        if not self._waiting:
            return None
        is_ready = hurry or len(self._waiting) >= self._size
        wait = 0.0 if is_ready else self._waiting[0][0] + self._bounds.seconds - now
        return max(wait, self._rests_until - now)

    def take(self) -> list[Score]:
        """Remove the next batch from the queue and count it as in flight."""
        batch = [self._waiting.popleft()[1] for _ in range(min(self._size, len(self._waiting)))]
        self._in_flight += len(batch)
        self._has_rested = False
        return batch

    def record_results(self, batch: Sequence[Score], results: Sequence[Result], now: float) -> list[UncountedScore]:
        """Record the results of a batch: open scores are queued again at the end; return those that do not count."""
        self._in_flight -= len(batch)
        again = [score for score, result in zip(batch, results, strict=True) if is_open(result)]
        self._waiting.extend((now, score) for score in again)
        self._rest(now, bool(again), None)
        return [
            UncountedScore(score, result.get("code", result["status"]), result.get("detail", ""))
            for score, result in zip(batch, results, strict=True)
            if not counted(result) and not is_open(result)
        ]

    def fail(self, batch: Sequence[Score], error: Exception, now: float) -> list[UncountedScore]:
        """Record that a request failed: queue its scores again in order, or return them if a retry would not help."""
        is_split = isinstance(error, BodyTooLarge) and len(batch) > 1
        if is_split:
            self._size = max(1, len(batch) // 2)
        if is_split or (isinstance(error, SunwiError) and error.is_temporary):
            self.put_back(batch, now)
            self._rest(now, not is_split, getattr(error, "retry_after", None))
            return []
        self._in_flight -= len(batch)
        code, detail = _reason_of(error)
        again = isinstance(error, SunwiError) and not isinstance(error, BodyTooLarge)  # others fail the same each time
        return [UncountedScore(score, code, detail, again) for score in batch]

    def put_back(self, batch: Sequence[Score], now: float) -> None:
        """Queue a batch again, in order, whose request was broken off."""
        self._in_flight -= len(batch)
        self._waiting.extendleft((now, score) for score in reversed(batch))

    def give_up(self) -> Iterator[UncountedScore]:
        """Take the scores out of the queue one by one, as ``unsent``: what is broken off leaves the others in it."""
        while self._waiting:
            _, score = self._waiting.popleft()
            yield UncountedScore(score, "unsent", "The sender was closed before it was answered.", again=True)

    def _rest(self, now: float, failed: bool, retry_after: float | None) -> None:
        self._tries = self._tries + 1 if failed else 0
        self._rests_until = now + self._retry_policy.pause(self._tries, retry_after) if failed else 0.0


def _reason_of(error: Exception) -> tuple[str, str]:
    if isinstance(error, Refused):
        return error.code, error.detail
    return ("not_sunwi", str(error)) if isinstance(error, NotSunwi) else ("client_fault", repr(error))
