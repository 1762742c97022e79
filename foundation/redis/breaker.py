"""A server that does not answer is left alone for a moment, so that not everybody waits for it."""

from foundation import clock
from foundation.monitoring.server_metrics import set_redis_breaker

BREAK_SECONDS = 1.0


class Breaker:
    """After a failure it is open for a second; then one caller at a time tries again."""

    def __init__(self, pause: float = BREAK_SECONDS) -> None:
        self._pause = pause
        self._open_until = 0.0

    def is_open(self) -> bool:
        """Whether to leave the server alone; the first caller after the pause is told no, and becomes the probe."""
        opened_until = self._open_until
        if not opened_until:
            return False
        if clock.monotonic() < opened_until:
            return True
        self._open_until = clock.monotonic() + self._pause
        return False

    def failed(self) -> None:
        """Open for the length of a pause."""
        set_redis_breaker(self._pause)
        self._open_until = clock.monotonic() + self._pause

    def answered(self) -> None:
        """Close."""
        if self._open_until:
            set_redis_breaker(0)
        self._open_until = 0.0
