"""How long staff stay signed in: so many hours at most, and so many minutes without opening anything."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffSession:
    """The limits: ``hours`` since signing in, ``idle_minutes`` since the last page (0: no such limit)."""

    hours: float
    idle_minutes: float

    def is_over(self, signed_in_at: float | None, seen_at: float | None, now: float) -> bool:
        """Whether a session ends here; times in seconds since 1970. One that does not say when it began is over."""
        if signed_in_at is None or now - signed_in_at >= self.hours * 3600:
            return True
        return self.idle_minutes > 0 and now - max(signed_in_at, seen_at or 0.0) >= self.idle_minutes * 60
