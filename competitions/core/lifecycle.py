"""The phase of a competition at a moment, computed from its timestamps.

``draft → open → running → (frozen) → closing → provisional → final``, or ``cancelled``. The trap: a freeze lasts until
the result is revealed, so a result may already be provisional or final while the public still sees ``frozen``.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

SHORT = timedelta(minutes=10)


class Phase(StrEnum):
    """The phase of a competition as the public sees it."""

    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    FROZEN = "frozen"
    CLOSING = "closing"
    PROVISIONAL = "provisional"
    FINAL = "final"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Timeline:
    """The timestamps that decide the phase; ``freeze`` is how long before the end the standings freeze, if at all."""

    starts_at: datetime
    ends_at: datetime
    published_at: datetime | None = None
    cancelled_at: datetime | None = None
    freeze: timedelta | None = None
    frozen_at: datetime | None = None
    revealed_at: datetime | None = None
    closed_at: datetime | None = None
    final_at: datetime | None = None

    @property
    def freezes_at(self) -> datetime | None:
        """When the public standings stop moving; never before the start."""
        if self.freeze is None:
            return None
        # Compare lengths: the end minus a very long freeze may not be a valid date.
        return self.starts_at if self.freeze >= self.ends_at - self.starts_at else self.ends_at - self.freeze

    @property
    def hides_from_the_start(self) -> bool:
        """Whether the freeze begins at the start, so that the public never sees a live ranking."""
        since = self.frozen_since
        return since is not None and since <= self.starts_at

    def shows_nothing(self, at: datetime) -> bool:
        """Whether every score is hidden at ``at``, so that nothing may be said about any of them."""
        return self.hides_from_the_start and self.is_hidden(at)

    @property
    def is_short(self) -> bool:
        """Whether the competition is so short that its times are shown with seconds."""
        return self.ends_at - self.starts_at < SHORT

    @property
    def frozen_since(self) -> datetime | None:
        """When the public standings stop or stopped changing. Once frozen, it stays even if the end moves."""
        return self.frozen_at or self.freezes_at

    @property
    def phase_changes_at(self) -> tuple[datetime | None, ...]:
        """The times at which the public phase changes by the clock alone."""
        return self.starts_at, self.frozen_since, self.ends_at

    def is_hidden(self, at: datetime) -> bool:
        """Whether the public sees the frozen standings: from the freeze until the reveal, even if the end moves."""
        freezes_at = self.freezes_at
        is_frozen = self.frozen_at is not None or (freezes_at is not None and freezes_at <= at)
        return self.may_become_hidden and is_frozen

    @property
    def may_become_hidden(self) -> bool:
        """Whether its standings are hidden now or may be hidden later."""
        is_active = self.published_at is not None and self.cancelled_at is None
        return is_active and self.revealed_at is None and (self.freeze is not None or self.frozen_at is not None)

    def phase(self, at: datetime) -> Phase:
        """Return the phase at ``at``, as the public sees it."""
        if self.cancelled_at is not None:
            return Phase.CANCELLED
        if self.published_at is None:
            return Phase.DRAFT
        if at < self.starts_at:
            return Phase.OPEN
        if self.is_hidden(at):
            return Phase.FROZEN
        if at < self.ends_at:
            return Phase.RUNNING
        return self._after_the_end()

    def _after_the_end(self) -> Phase:
        if self.final_at is not None:
            return Phase.FINAL
        return Phase.CLOSING if self.closed_at is None else Phase.PROVISIONAL
