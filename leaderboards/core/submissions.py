"""Values of submissions that API, services and stores share: callers, statuses and outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from foundation.errors import SunwiError


class Status(StrEnum):
    """The result of an entry. The first three count as accepted."""

    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    UNKNOWN = "unknown"

    @property
    def is_accepted(self) -> bool:
        """Whether the entry counts, or counted before."""
        return self in _ACCEPTED


_ACCEPTED = (Status.UPDATED, Status.UNCHANGED, Status.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a submission: the service, and the boards that its key may write to (None is all).

    ``may_write_reserved`` is set for the app that alone writes to reserved boards. ``is_trusted`` is set for entries
    that a person has checked: plausibility limits do not apply.
    """

    service: str
    boards: frozenset[int] | None = None
    may_write_reserved: bool = False
    is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """An entry that could not be parsed."""

    position: int
    player: str | None
    board: int | None
    error: SunwiError
    competition: int | None = None


class Outcome(NamedTuple):
    """The result of the entry at ``position``; ``points`` and ``fields`` are the player's standing after it.

    ``hides_ranks`` is set while its competition shows no ranks. ``opens_at`` is when the next window starts, if none
    was open at the entry's time.
    """

    position: int
    status: Status
    player: str | None
    board: int | None = None
    competition: int | None = None
    period: str | None = None
    points: int | Decimal | None = None
    fields: Mapping[str, int] | None = None
    rank: int | None = None
    previous_rank: int | None = None
    hides_ranks: bool = False
    code: str | None = None
    detail: str | None = None
    opens_at: datetime | None = None
