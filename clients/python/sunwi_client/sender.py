"""Scores of many threads, sent together by one thread.

``async_sender.py`` is the same for asyncio. The rules stand in outbox.py; here is only who waits for whom. The trap:
the thread ends with the process and asks nobody, so close the sender, or open it by ``with``.
"""

import logging
import time
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from types import TracebackType
from typing import Self

from sunwi_client.client import Client
from sunwi_client.outbox import Bounds, Outbox, SenderClosed, SenderFull, UncountedScore
from sunwi_client.retry_policy import NO_RETRY, RetryPolicy
from sunwi_client.scores import Score

logger = logging.getLogger(__name__)
CLOSE_SECONDS = 30.0
Tell = Callable[[UncountedScore], object]


def warn(told: UncountedScore) -> None:
    """What is done with a score that does not count, where nobody says otherwise: the log has it."""
    logger.warning("%s of %s does not count: %s: %s", told.score.id, told.score.player, told.code, told.detail)


def tell_all(on_uncounted: Tell, several: Sequence[UncountedScore]) -> None:
    """Tell of each; who fails in that fails alone."""
    for each in several:
        try:
            on_uncounted(each)
        except Exception:
            logger.exception("Telling of a score that does not count failed: %s", each)


class Sender:
    """Collects scores and submits them with ``client``; what the server leaves open it sends again until it is decided.

    ``on_uncounted`` is called, in the sender's thread, for each score that does not count and why. Scores under way
    when the process dies are lost: where that matters keep them until they count, with ids of your own.
    """

    def __init__(self, client: Client, *, on_uncounted: Tell = warn, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - never changes
        self._client, self._tell = client, on_uncounted
        self._box, self._changed = Outbox(bounds, RetryPolicy()), Condition()
        self._flushing, self._closing, self._ends = 0, False, float("inf")
        self._thread = Thread(target=self._work, name="sunwi-sender", daemon=True)
        self._thread.start()

    def add(self, score: Score, timeout: float | None = None) -> None:
        """Let ``score`` go with the next batch; waits while the queue is full. Raises ``SenderFull`` when ``timeout``
        seconds were not enough, and ``SenderClosed``."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closing or not self._box.is_full, timeout):
                raise SenderFull(f"{self._box.pending:,} scores wait, and none went within {timeout} s.")
            if self._closing:
                raise SenderClosed("The sender is closed: make another.")
            self._box.add(score, time.monotonic())
            self._changed.notify_all()

    def flush(self, timeout: float | None = None) -> bool:
        """Send what waits now, and wait until all is decided; False where ``timeout`` seconds were not enough."""
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: not self._box.pending, timeout)
            self._flushing -= 1
        return done

    def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Send what waits, for up to ``timeout`` seconds and the try that is under way; tells of what was not."""
        with self._changed:
            self._closing, self._ends = True, min(self._ends, time.monotonic() + timeout)
            self._changed.notify_all()
        self._thread.join()
        tell_all(self._tell, self._box.give_up())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        while batch := self._next():
            told = self._sent(batch)
            tell_all(self._tell, told)

    def _sent(self, batch: list[Score]) -> list[UncountedScore]:
        try:
            results = self._client.submit(batch, retry_policy=NO_RETRY)
        except Exception as error:  # whatever it is, nobody else would hear of it
            with self._changed:
                told = self._box.fail(batch, error, time.monotonic())
                self._changed.notify_all()
        else:
            with self._changed:
                told = self._box.record_results(batch, results, time.monotonic())
                self._changed.notify_all()
        return told

    def _next(self) -> list[Score]:
        """The next batch, once it may go; none when the sender ends."""
        with self._changed:
            while True:
                now = time.monotonic()
                due = self._box.due_in(now, hurry=self._closing or self._flushing > 0)
                if now > self._ends or (due is None and self._closing):
                    return []
                if due is not None and due <= 0:
                    return self._box.take()
                self._changed.wait(None if due is None else min(due, self._ends - now))
