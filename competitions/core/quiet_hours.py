"""Until when a player is not to be disturbed.

Quiet hours begin and end at instants, found as a board's days are: a clock that skips an hour moves them to the
first instant that exists, one that repeats an hour takes the first.
"""

from dataclasses import dataclass
from datetime import datetime, time

from leaderboards.core.periods import Calendar, PeriodKind, Window, window_at


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one full hour to another on the zone's clock; the same hour twice is never quiet."""

    timezone: str
    start: int = 23
    end: int = 8

    def until(self, at: datetime) -> datetime | None:
        """When the quiet hours that hold ``at`` are over; None outside of them."""
        if self.start == self.end:
            return None
        ends = self._turn(self.end, at)
        begun, over = self._turn(self.start, at).starts_at, ends.starts_at
        if begun is None or over is None or begun < over:
            return None
        # Both at one instant: the clock skipped what lay between, the quiet hours or what parts them.
        if begun == over and self.start < self.end:
            return None
        return ends.ends_at

    def _turn(self, hour: int, at: datetime) -> Window:
        """From the last time that the clock came to ``hour`` to the next."""
        return window_at(Calendar(PeriodKind.DAY, self.timezone, cutoff=time(hour)), at)
