"""A circuit breaker for Redis: after a failure, calls fail at once instead of waiting for the time-out."""

from foundation import clock
from foundation.monitoring.server_metrics import set_redis_breaker

BREAK_SECONDS = 1.0


class Breaker:
    """Open for ``pause`` seconds after a failure; then one caller at a time probes the server."""

    def __init__(self, pause: float = BREAK_SECONDS) -> None:
        self._pause = pause
        self._open_until = 0.0

    def is_open(self) -> bool:
        """Whether calls must fail now. After the pause the first caller gets False: its call is the probe."""
        open_until = self._open_until
        if not open_until:
            return False
        if clock.monotonic() < open_until:
            return True
        self._open_until = clock.monotonic() + self._pause
        return False

    def failed(self) -> None:
        """Open the breaker: a call failed."""
        set_redis_breaker(self._pause)
        self._open_until = clock.monotonic() + self._pause

    def answered(self) -> None:
        """Close the breaker: a call was answered."""
        if self._open_until:
            set_redis_breaker(0)
        self._open_until = 0.0
