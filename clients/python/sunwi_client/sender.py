"""A sender: collects scores of many threads and submits them in batches from one thread.

``async_sender.py`` is the same for asyncio. The rules are in outbox.py; this module has only the thread and its locks.
The traps: the thread is a daemon and ends with the process, so close the sender, or use ``with``. Nothing that
``on_uncounted`` raises may end the thread, also no ``SystemExit``: nobody would send any more, or hear of it.
"""

import logging
import time
from collections.abc import Callable, Iterable
from threading import Condition, Thread, current_thread
from types import TracebackType
from typing import Self

from sunwi_client.client import Client
from sunwi_client.outbox import Bounds, Outbox, SenderClosed, SenderFull, UncountedScore
from sunwi_client.retry_policy import NO_RETRY, RetryPolicy
from sunwi_client.scores import Score

logger = logging.getLogger(__name__)
CLOSE_SECONDS = 30.0
OnUncounted = Callable[[UncountedScore], object]


def warn(lost: UncountedScore) -> None:
    """Log a score that does not count: the default of ``on_uncounted``."""
    logger.warning("%s of %s does not count: %s: %s", lost.score.id, lost.score.player, lost.code, lost.detail)


def report_all(
    on_uncounted: OnUncounted, scores: Iterable[UncountedScore], survived: type[BaseException] = Exception
) -> None:
    """Call ``on_uncounted`` for each score; an error of the type ``survived`` in it is logged."""
    for each in scores:
        try:
            on_uncounted(each)
        except survived:
            log_failure(each)


def log_failure(lost: UncountedScore) -> None:
    """Log the error that ``on_uncounted`` raised for a score."""
    logger.exception("Telling of a score that does not count failed: %s", lost)


def refuse_waiting(is_own: bool) -> None:
    """Raise ``RuntimeError`` where ``on_uncounted`` would wait for the sender, which waits for it."""
    if is_own:
        raise RuntimeError("`on_uncounted` cannot flush or close its sender, which waits for it: do that elsewhere.")


class Sender:
    """Collects scores and submits them with ``client``; scores with an open result are sent again until decided.

    ``on_uncounted`` is called in the sender's thread for each score that does not count, and may ``add`` it again.
    Pending scores are lost when the process dies: if that matters, store them until they count, with ids of your own.
    """

    def __init__(self, client: Client, *, on_uncounted: OnUncounted = warn, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - it never changes
        self._client, self._on_uncounted = client, on_uncounted
        self._box, self._changed = Outbox(bounds, RetryPolicy()), Condition()
        self._flushing, self._closing, self._ends, self._is_over = 0, False, float("inf"), False
        self._thread = Thread(target=self._work, name="sunwi-sender", daemon=True)
        self._thread.start()

    def add(self, score: Score, timeout: float | None = None) -> None:
        """Add ``score`` to the queue; wait while it is full. Within ``on_uncounted`` it never waits.

        Raises ``SenderFull`` after ``timeout`` seconds, and ``SenderClosed``.
        """
        with self._changed:
            is_own = self._is_own_thread()  # nobody else would make room
            if not self._changed.wait_for(lambda: is_own or self._closing or not self._box.is_full, timeout):
                raise SenderFull(f"{self._box.pending:,} scores wait, and none went within {timeout} s.")
            if self._closing:
                raise SenderClosed("The sender is closed: make another.")
            (self._box.add_again if is_own else self._box.add)(score, time.monotonic())
            self._changed.notify_all()

    def flush(self, timeout: float | None = None) -> bool:
        """Send all pending scores and wait until they are decided; False after ``timeout`` seconds, or a close."""
        refuse_waiting(self._is_own_thread())
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_over or not self._box.pending, timeout)
            self._flushing -= 1
            return not self._box.pending

    def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Send pending scores for up to ``timeout`` seconds and the current try; report the rest as ``unsent``."""
        refuse_waiting(self._is_own_thread())
        with self._changed:
            self._closing, self._ends = True, min(self._ends, time.monotonic() + timeout)
            self._changed.notify_all()
        self._thread.join()
        report_all(self._on_uncounted, self._box.give_up())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_own_thread(self) -> bool:
        return current_thread() is self._thread

    def _work(self) -> None:
        try:
            while batch := self._next():
                report_all(self._on_uncounted, self._submit(batch), survived=BaseException)
        finally:
            with self._changed:
                self._closing = self._is_over = True
                self._changed.notify_all()

    def _submit(self, batch: list[Score]) -> list[UncountedScore]:
        try:
            results = self._client.submit(batch, retry_policy=NO_RETRY)
        except Exception as error:  # any error: it would be lost in this thread
            with self._changed:
                uncounted = self._box.fail(batch, error, time.monotonic())
                self._changed.notify_all()
        else:
            with self._changed:
                uncounted = self._box.record_results(batch, results, time.monotonic())
                self._changed.notify_all()
        return uncounted

    def _next(self) -> list[Score]:
        """Wait for the next batch and return it; empty when the sender ends."""
        with self._changed:
            while True:
                now = time.monotonic()
                due = self._box.due_in(now, hurry=self._closing or self._flushing > 0)
                if now > self._ends or (due is None and self._closing):
                    return []
                if due is not None and due <= 0:
                    return self._box.take()
                self._changed.wait(None if due is None else min(due, self._ends - now))
