"""The sender for asyncio: as ``sender.py``, with the same methods as coroutines.

The traps: create it while the event loop runs; it ends with the loop, so close it, or use ``async with``. Each
``await`` may be broken off: what is to be told stays in a queue until it has been told, so that closing goes on there.
"""

import asyncio
import inspect
import time
from collections import deque
from types import TracebackType
from typing import Self

from sunwi_client.async_client import AsyncClient
from sunwi_client.outbox import Bounds, Outbox, SenderClosed, SenderFull, UncountedScore
from sunwi_client.retry_policy import NO_RETRY, RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.sender import CLOSE_SECONDS, OnUncounted, log_failure, refuse_waiting, warn


class AsyncSender:
    """Collects scores and submits them with ``client``; scores with an open result are sent again until decided.

    ``on_uncounted`` is called in the sender's task for each score that does not count, and awaited if it is a coroutine
    function; then it may ``add`` the score again.
    """

    def __init__(self, client: AsyncClient, *, on_uncounted: OnUncounted = warn, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - it never changes
        self._client, self._on_uncounted = client, on_uncounted
        self._box, self._changed = Outbox(bounds, RetryPolicy()), asyncio.Condition()
        self._flushing, self._closing, self._ends, self._is_over = 0, False, float("inf"), False
        self._untold: deque[UncountedScore] = deque()
        self._task = asyncio.create_task(self._work())

    async def add(self, score: Score, timeout: float | None = None) -> None:
        """Add ``score`` to the queue; wait while it is full. Within ``on_uncounted`` it never waits.

        Raises ``SenderFull`` after ``timeout`` seconds, and ``SenderClosed``.
        """
        async with self._changed:
            is_own = self._is_own_task()  # nobody else would make room
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait_for(lambda: is_own or self._closing or not self._box.is_full)
            except TimeoutError:
                raise SenderFull(f"{self._box.pending:,} scores wait, and none went within {timeout} s.") from None
            if self._closing:
                raise SenderClosed("The sender is closed: make another.")
            (self._box.add_again if is_own else self._box.add)(score, time.monotonic())
            self._changed.notify_all()

    async def flush(self, timeout: float | None = None) -> bool:
        """Send all pending scores and wait until they are decided; False after ``timeout`` seconds, or a close."""
        refuse_waiting(self._is_own_task())
        async with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait_for(lambda: self._is_over or not self._box.pending)
            except TimeoutError:
                return False
            finally:
                self._flushing -= 1
        return not self._box.pending

    async def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Send pending scores for up to ``timeout`` seconds and the current try; report the rest as ``unsent``."""
        refuse_waiting(self._is_own_task())
        async with self._changed:
            self._closing, self._ends = True, min(self._ends, time.monotonic() + timeout)
            self._changed.notify_all()
        await asyncio.wait([self._task])  # awaited itself, the task would be cancelled together with this coroutine
        self._untold.extend(self._box.give_up())
        await self._report_untold()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _is_own_task(self) -> bool:
        return asyncio.current_task() is self._task

    async def _work(self) -> None:
        try:
            while batch := await self._next():
                await self._submit(batch)
                await self._report_untold()
        finally:
            self._closing = self._is_over = True
            await self._notify()

    async def _report_untold(self) -> None:
        """Tell one score after the other; one whose telling is broken off is told again when the sender is closed."""
        while self._untold:
            try:
                told = self._on_uncounted(self._untold[0])
                if inspect.iscoroutine(told):
                    await told
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                log_failure(self._untold[0])  # it awaited something else that was cancelled
            except Exception:
                log_failure(self._untold[0])
            self._untold.popleft()

    async def _submit(self, batch: list[Score]) -> None:
        try:
            results = await self._client.submit(batch, retry_policy=NO_RETRY)
        except asyncio.CancelledError:
            self._box.put_back(batch, time.monotonic())
            raise
        except Exception as error:  # any error: it would be lost in this task
            self._untold.extend(self._box.fail(batch, error, time.monotonic()))
        else:
            self._untold.extend(self._box.record_results(batch, results, time.monotonic()))
        await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _next(self) -> list[Score]:
        """Wait for the next batch and return it; empty when the sender ends."""
        async with self._changed:
            while True:
                now = time.monotonic()
                due = self._box.due_in(now, hurry=self._closing or self._flushing > 0)
                if now > self._ends or (due is None and self._closing):
                    return []
                if due is not None and due <= 0:
                    return self._box.take()
                await self._wait_for_change(None if due is None else min(due, self._ends - now))

    async def _wait_for_change(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass


def is_cancelled() -> bool:
    """Whether the current task is asked to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
