"""What goes into a submission and what comes out: values that the edge, the services and the stores share."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from foundation.errors import SunwiError


class Status(StrEnum):
    """What became of an entry. The first three count as accepted."""

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
    """Who submits: the service, and the boards that its key reaches (None is all).

    ``may_write_reserved``: the app that boards are reserved for, which alone writes to them. ``is_trusted``: somebody
    has looked at the entries, so that no limit of plausibility is held against them.
    """

    service: str
    boards: frozenset[int] | None = None
    may_write_reserved: bool = False
    is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """An entry that could not even be read."""

    position: int
    player: str | None
    board: int | None
    error: SunwiError
    competition: int | None = None


class Outcome(NamedTuple):
    """What became of the entry at ``position``; ``points`` and ``fields`` are the player's standing after it.

    ``hides_ranks``: its competition tells nobody their place now.
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
