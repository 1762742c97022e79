"""How long staff stay signed in: a maximum of hours, and of minutes without activity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffSession:
    """``hours`` since signing in, and ``idle_minutes`` since the last page (0: no limit)."""

    hours: float
    idle_minutes: float

    def is_over(self, signed_in_at: float | None, seen_at: float | None, now: float) -> bool:
        """Whether a session is over; times in seconds since 1970. One without ``signed_in_at`` is over."""
        if signed_in_at is None or now - signed_in_at >= self.hours * 3600:
            return True
        return self.idle_minutes > 0 and now - max(signed_in_at, seen_at or 0.0) >= self.idle_minutes * 60
