"""Beat's scheduler, with one line when the broker stops answering, one each minute, and one when it answers again.

Celery's own writes a traceback for each task that cannot be sent: thousands of lines a minute. What could not be sent
is not kept, since every task of the schedule is sent again.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from celery.beat import ScheduleEntry, Scheduler, SchedulingError
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

LINE_EVERY_SECONDS = 60.0


class BrokerLog:
    """Writes when the broker is away. ``now`` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._away_since: float | None = None
        self._written_at = 0.0
        self._unsent = 0

    def note_failure(self, error: object, unsent: int = 0) -> None:
        """Write why, if that is new or the last line is a minute old. ``unsent`` tasks were not sent because of it."""
        now = self._now()
        self._unsent += unsent
        if self._away_since is None:
            self._away_since = self._written_at = now
            logger.error("The broker does not answer: %s. No task is sent until it does.", error)
        elif now - self._written_at >= LINE_EVERY_SECONDS:
            self._written_at = now
            logger.error(
                "The broker has not answered for %.0f s, and %d tasks were not sent: %s",
                now - self._away_since,
                self._unsent,
                error,
            )

    def note_success(self) -> None:
        """Write that the broker answers again, if it was away."""
        if self._away_since is None:
            return
        away = self._now() - self._away_since
        logger.warning("The broker answers again after %.0f s; %d tasks were not sent meanwhile.", away, self._unsent)
        self._away_since, self._unsent = None, 0


class QuietScheduler(Scheduler):
    """Celery's plain scheduler with such a log."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._log = BrokerLog()
        super().__init__(*args, **options)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a task that is due. Errors other than the broker's are written with their traceback."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            cause = error.__cause__ or error.__context__
            if isinstance(cause, self._broker_errors()):
                self._log.note_failure(cause, unsent=1)
            else:
                logger.exception("The task %s cannot be sent", entry.name)
        else:
            self._log.note_success()

    def _broker_errors(self) -> tuple[type[BaseException], ...]:
        return (OperationalError, OSError, *self.connection.connection_errors, *self.connection.channel_errors)

    def _ensure_connected(self) -> Any:
        """Wait for the broker at the start. Celery's own writes a line for each try."""
        connection = self.connection.ensure_connection(
            lambda error, _seconds: self._log.note_failure(error), self.app.conf.broker_connection_max_retries
        )
        self._log.note_success()
        return connection
