"""The sender for asyncio: as ``sender.py``, with the same methods as coroutines.

The trap: create it while the event loop runs; it ends with the loop, so close it, or use ``async with``.
"""

import asyncio
import inspect
import time
from collections.abc import Iterable
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
        self._flushing, self._closing, self._ends = 0, False, float("inf")
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
        """Send all pending scores and wait until they are decided; False after ``timeout`` seconds."""
        refuse_waiting(self._is_own_task())
        async with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait_for(lambda: not self._box.pending)
            except TimeoutError:
                return False
            finally:
                self._flushing -= 1
        return True

    async def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Send pending scores for up to ``timeout`` seconds and the current try; report the rest as ``unsent``."""
        refuse_waiting(self._is_own_task())
        async with self._changed:
            self._closing, self._ends = True, min(self._ends, time.monotonic() + timeout)
            self._changed.notify_all()
        await asyncio.wait([self._task])  # awaited itself, the task would be cancelled together with this coroutine
        await self._report_all(self._box.give_up())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _is_own_task(self) -> bool:
        return asyncio.current_task() is self._task

    async def _work(self) -> None:
        while batch := await self._next():
            await self._report_all(await self._submit(batch))

    async def _report_all(self, scores: Iterable[UncountedScore]) -> None:
        for each in scores:
            try:
                told = self._on_uncounted(each)
                if inspect.iscoroutine(told):
                    await told
            except Exception:
                log_failure(each)

    async def _submit(self, batch: list[Score]) -> list[UncountedScore]:
        try:
            results = await self._client.submit(batch, retry_policy=NO_RETRY)
        except asyncio.CancelledError:
            self._box.put_back(batch, time.monotonic())
            raise
        except Exception as error:  # any error: it would be lost in this task
            async with self._changed:
                uncounted = self._box.fail(batch, error, time.monotonic())
                self._changed.notify_all()
        else:
            async with self._changed:
                uncounted = self._box.record_results(batch, results, time.monotonic())
                self._changed.notify_all()
        return uncounted

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
