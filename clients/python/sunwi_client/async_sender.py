"""Scores of many tasks, sent together by one task: ``sender.py`` for asyncio, with the same methods to await.

The trap: it is made where an event loop runs, and ends with it; close it, or open it by ``async with``.
"""

import asyncio
import time
from types import TracebackType
from typing import Self

from sunwi_client.async_client import AsyncClient
from sunwi_client.outbox import Bounds, Outbox, SenderClosed, SenderFull, UncountedScore
from sunwi_client.retry_policy import NO_RETRY, RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.sender import CLOSE_SECONDS, Tell, tell_all, warn


class AsyncSender:
    """Collects scores and submits them with ``client``; what the server leaves open it sends again until it is decided.

    ``on_uncounted`` is called, and not awaited, for each score that does not count and why.
    """

    def __init__(self, client: AsyncClient, *, on_uncounted: Tell = warn, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - never changes
        self._client, self._tell = client, on_uncounted
        self._box, self._changed = Outbox(bounds, RetryPolicy()), asyncio.Condition()
        self._flushing, self._closing, self._ends = 0, False, float("inf")
        self._task = asyncio.create_task(self._work())

    async def add(self, score: Score, timeout: float | None = None) -> None:
        """Let ``score`` go with the next batch; waits while the queue is full. Raises ``SenderFull`` when ``timeout``
        seconds were not enough, and ``SenderClosed``."""
        async with self._changed:
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait_for(lambda: self._closing or not self._box.is_full)
            except TimeoutError:
                raise SenderFull(f"{self._box.pending:,} scores wait, and none went within {timeout} s.") from None
            if self._closing:
                raise SenderClosed("The sender is closed: make another.")
            self._box.add(score, time.monotonic())
            self._changed.notify_all()

    async def flush(self, timeout: float | None = None) -> bool:
        """Send what waits now, and wait until all is decided; False where ``timeout`` seconds were not enough."""
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
        """Send what waits, for up to ``timeout`` seconds and the try that is under way; tells of what was not."""
        async with self._changed:
            self._closing, self._ends = True, min(self._ends, time.monotonic() + timeout)
            self._changed.notify_all()
        await self._task
        tell_all(self._tell, self._box.give_up())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _work(self) -> None:
        while batch := await self._next():
            told = await self._sent(batch)
            tell_all(self._tell, told)

    async def _sent(self, batch: list[Score]) -> list[UncountedScore]:
        try:
            results = await self._client.submit(batch, retry_policy=NO_RETRY)
        except Exception as error:  # whatever it is, nobody else would hear of it
            async with self._changed:
                told = self._box.fail(batch, error, time.monotonic())
                self._changed.notify_all()
        else:
            async with self._changed:
                told = self._box.record_results(batch, results, time.monotonic())
                self._changed.notify_all()
        return told

    async def _next(self) -> list[Score]:
        """The next batch, once it may go; none when the sender ends."""
        async with self._changed:
            while True:
                now = time.monotonic()
                due = self._box.due_in(now, hurry=self._closing or self._flushing > 0)
                if now > self._ends or (due is None and self._closing):
                    return []
                if due is not None and due <= 0:
                    return self._box.take()
                await self._woken(None if due is None else min(due, self._ends - now))

    async def _woken(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass
