"""What a sender holds: the rules of when a batch goes, what comes back into the queue, and what its owner is told.

No thread, no lock, no clock: both senders call it while they alone may. The trap: what is under way counts as held, or
the queue would grow beyond its bound as it comes back.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from sunwi_client.advice import advice
from sunwi_client.answers import Result
from sunwi_client.errors import BodyTooLarge, NoAnswer, RateLimited, Refused, Unavailable
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.submitting import MOST_SCORES, counted, is_open


class SenderFull(Exception):
    """As many scores wait as may, and none went in time: the server is away, or slower than what is added."""


class SenderClosed(Exception):
    """The sender takes no more."""


@dataclass(frozen=True, slots=True)
class UncountedScore:
    """A score that the server did not take. ``again``: it may still be sent, with the same id."""

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
    """A batch goes with ``size`` scores, or ``seconds`` after its first; up to ``most`` are held, under way included.

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
    """Scores that wait, the oldest first, and how many are under way. ``now`` is in seconds of one clock."""

    def __init__(self, bounds: Bounds, retry_policy: RetryPolicy) -> None:
        self._bounds, self._patience = bounds, retry_policy
        self._size = bounds.size
        self._waiting: deque[tuple[float, Score]] = deque()
        self._away = 0
        self._tries = 0
        self._rests_until = 0.0

    @property
    def pending(self) -> int:
        """How many wait or are under way."""
        return len(self._waiting) + self._away

    @property
    def is_full(self) -> bool:
        """Whether no more may be added."""
        return self.pending >= self._bounds.most

    def add(self, score: Score, now: float) -> None:
        """Let ``score`` wait for its batch."""
        self._waiting.append((now, score))

    def due_in(self, now: float, hurry: bool) -> float | None:
        """Seconds until a batch goes, 0 or less for now, None where none waits; in a ``hurry`` it need not be full."""
        if not self._waiting:
            return None
        full = hurry or len(self._waiting) >= self._size
        ripe = 0.0 if full else self._waiting[0][0] + self._bounds.seconds - now
        return max(ripe, self._rests_until - now)

    def take(self) -> list[Score]:
        """The batch that goes now."""
        batch = [self._waiting.popleft()[1] for _ in range(min(self._size, len(self._waiting)))]
        self._away += len(batch)
        return batch

    def record_results(self, batch: Sequence[Score], results: Sequence[Result], now: float) -> list[UncountedScore]:
        """Take ``results`` in: what they leave open waits again, behind the others; the rest that does not count is
        told."""
        self._away -= len(batch)
        again = [score for score, result in zip(batch, results, strict=True) if is_open(result)]
        self._waiting.extend((now, score) for score in again)
        self._rest(now, bool(again), None)
        return [
            UncountedScore(score, result.get("code", result["status"]), result.get("detail", ""))
            for score, result in zip(batch, results, strict=True)
            if not counted(result) and not is_open(result)
        ]

    def fail(self, batch: Sequence[Score], error: Exception, now: float) -> list[UncountedScore]:
        """Take in that the request failed as a whole: all of it waits again in its order, or is told where that would
        not help."""
        self._away -= len(batch)
        halved = isinstance(error, BodyTooLarge) and len(batch) > 1
        if halved:
            self._size = max(1, len(batch) // 2)
        if halved or isinstance(error, NoAnswer | RateLimited | Unavailable):
            self._waiting.extendleft((now, score) for score in reversed(batch))
            self._rest(now, not halved, getattr(error, "retry_after", None))
            return []
        code, detail = (error.code, error.detail) if isinstance(error, Refused) else ("client_fault", repr(error))
        return [UncountedScore(score, code, detail, again=True) for score in batch]

    def give_up(self) -> list[UncountedScore]:
        """What still waits, to be told; nothing does afterwards."""
        left = [score for _, score in self._waiting]
        self._waiting.clear()
        return [
            UncountedScore(score, "unsent", "The sender was closed before it was answered.", again=True)
            for score in left
        ]

    def _rest(self, now: float, failed: bool, retry_after: float | None) -> None:
        self._tries = self._tries + 1 if failed else 0
        self._rests_until = now + self._patience.pause(self._tries, retry_after) if failed else 0.0
