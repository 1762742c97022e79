"""Where a competition stands at a moment, from nothing but its timestamps.

``draft → open → running → (frozen) → closing → provisional → final``, or ``cancelled``. The trap: a freeze lasts until
somebody reveals, so a result may be provisional or final behind the curtain while the public still sees ``frozen``.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

SHORT = timedelta(minutes=10)


class Phase(StrEnum):
    """A competition's life, as the public sees it."""

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
    """The timestamps that decide; ``freeze`` is how long before the end the standings are hidden, if at all."""

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
        # Lengths are compared, since a very long one before the end is no date any more.
        return self.starts_at if self.freeze >= self.ends_at - self.starts_at else self.ends_at - self.freeze

    @property
    def hides_from_the_start(self) -> bool:
        """Whether the freeze leaves no moment in which the public sees a ranking."""
        since = self.frozen_since
        return since is not None and since <= self.starts_at

    def shows_nothing(self, at: datetime) -> bool:
        """Whether all of it is behind the freeze at ``at``, so that nothing may be said of anybody's score."""
        return self.hides_from_the_start and self.is_hidden(at)

    @property
    def is_short(self) -> bool:
        """Whether seconds matter in its times."""
        return self.ends_at - self.starts_at < SHORT

    @property
    def frozen_since(self) -> datetime | None:
        """Since when, or from when, the public sees no change: the same before and after somebody notices.

        Once frozen it stays what it was, wherever the end is moved.
        """
        return self.frozen_at or self.freezes_at

    @property
    def phase_changes_at(self) -> tuple[datetime | None, ...]:
        """The moments at which the public sees another phase without anybody doing anything."""
        return self.starts_at, self.frozen_since, self.ends_at

    def is_hidden(self, at: datetime) -> bool:
        """Whether the public sees the standings of the freeze: from then on until the reveal, also if the end moves."""
        freezes_at = self.freezes_at
        due = self.frozen_at is not None or (freezes_at is not None and freezes_at <= at)
        return self.may_become_hidden and due

    @property
    def may_become_hidden(self) -> bool:
        """Whether its standings are hidden, or may come to be."""
        lives = self.published_at is not None and self.cancelled_at is None
        return lives and self.revealed_at is None and (self.freeze is not None or self.frozen_at is not None)

    def phase(self, at: datetime) -> Phase:
        """Where it stands at ``at``."""
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
