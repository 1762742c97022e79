"""Quiet hours, in which a player gets no messages.

They begin and end at instants that are computed like a board's days: if the clock omits the hour, the first instant
that exists is taken; if it repeats the hour, the first one.
"""

from dataclasses import dataclass
from datetime import datetime, time

from leaderboards.core.periods import Calendar, PeriodKind, Window, window_at


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From full hour ``start`` to full hour ``end`` in ``timezone``; no quiet hours if both are the same."""

    timezone: str
    start: int = 23
    end: int = 8

    def until(self, at: datetime) -> datetime | None:
        """Return when the quiet hours that contain ``at`` end; None outside of them."""
        if self.start == self.end:
            return None
        end_window = self._window_from(self.end, at)
        last_start, last_end = self._window_from(self.start, at).starts_at, end_window.starts_at
        if last_start is None or last_end is None or last_start < last_end:
            return None
        # Both are one instant if the clock left out the quiet hours (start < end) or the time between them.
        if last_start == last_end and self.start < self.end:
            return None
        return end_window.ends_at

    def _window_from(self, hour: int, at: datetime) -> Window:
        """Return the day around ``at`` that begins at ``hour``."""
        return window_at(Calendar(PeriodKind.DAY, self.timezone, cutoff=time(hour)), at)
