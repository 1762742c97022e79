"""Pauses between tries of a worker whose SQL is unavailable: exponential back-off with jitter."""

import logging
import random
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, SqlAway, SqlBusy, is_busy

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class BackOff:
    """Exponential back-off with jitter while SQL is unavailable; the state is the process's own.

    During a pause calls fail at once. The first call that succeeds resets the pause.
    """

    def __init__(self, shortest: float = 0.5, longest: float = 5.0) -> None:
        self._shortest, self._longest = shortest, longest
        self._pause = 0.0
        self._until = 0.0

    def attempt(self, action: Callable[[], Answer]) -> Answer:
        """Run ``action`` and return its answer. Raises ``SqlAway`` in a pause, and when SQL fails."""
        if clock.monotonic() < self._until:
            raise SqlAway("SQL was away a moment ago; the next run tries again.")
        try:
            answer = action()
        except CONNECTION_ERRORS as error:
            if is_busy(error):
                logger.warning("SQL is busy, and asked again by the next run: %s", error)
                raise SqlBusy("SQL is busy.") from error
            self._pause = min(2 * self._pause or self._shortest, self._longest)
            wait = self._pause * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret
            self._until = clock.monotonic() + wait
            connection.close()
            logger.warning("SQL is away, and asked again in %.1f s: %s", wait, error)
            raise SqlAway("SQL is away.") from error
        self._pause = self._until = 0.0
        return answer
