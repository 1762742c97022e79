"""What a league does: who enters which group, and who moves up or down when a period is over.

Tiers are numbered from 1, the lowest, where everybody begins. Places come from the board's own ranking; nothing here
ranks anybody.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

LARGEST_GROUP = 100
FEWEST_TIERS, MOST_TIERS = 2, 20

Player = TypeVar("Player", bound=Hashable)


class Outcome(StrEnum):
    """What a place in a group comes to."""

    PROMOTED = "promoted"
    STAYED = "stayed"
    DEMOTED = "demoted"


_STEPS = {Outcome.PROMOTED: 1, Outcome.STAYED: 0, Outcome.DEMOTED: -1}


@dataclass(frozen=True, slots=True)
class LeagueRules:
    """How large a group is, how many of it move up and down, and how many tiers there are."""

    group_size: int
    promoted: int
    demoted: int
    tiers: int

    def outcome(self, tier: int, place: int, members: int) -> Outcome:
        """What ``place`` (from 1; those who tie share one) of ``members`` in a group of ``tier`` comes to.

        Ties are decided for the player: all who tie with the last one promoted are promoted, and none who ties with
        the last one who stays is demoted. Those among the first ``promoted`` are never demoted, however small the
        group; at the ends of the ladder they stay.
        """
        if place <= self.promoted:
            return Outcome.PROMOTED if tier < self.tiers else Outcome.STAYED
        return Outcome.DEMOTED if place > members - self.demoted and tier > 1 else Outcome.STAYED

    def is_unfilled(self, entered: int, ranked: int) -> bool:
        """Whether a group that so many players ``entered`` has room, or only so many of them hold a place (``ranked``)
        that all would move up."""
        return entered < self.group_size or ranked <= self.promoted


def places(equals: Iterable[Hashable]) -> list[int]:
    """The place of each row, best first: rows that follow each other with the same key share one (1 1 3)."""
    found: list[int] = []
    before: object = None
    for nth, key in enumerate(equals, start=1):
        found.append(found[-1] if found and key == before else nth)
        before = key
    return found


def next_tier(tier: int, outcome: Outcome, tiers: int) -> int:
    """The tier that a player enters next; the highest of ``tiers`` where there are fewer by now."""
    return max(1, min(tier + _STEPS[outcome], tiers))


def fill(
    entering: Sequence[tuple[Player, int]], newest: Mapping[int, tuple[int, int]], size: int
) -> list[tuple[Player, int, int]]:
    """Each player with the tier and the number of the group that they enter, in their order.

    ``newest`` is, by tier, the number of its newest group and how many are in it; a full one is followed by the next.
    """
    latest = dict(newest)
    placed = []
    for player, tier in entering:
        number, members = latest.get(tier, (1, 0))
        if members >= size:
            number, members = number + 1, 0
        latest[tier] = (number, members + 1)
        placed.append((player, tier, number))
    return placed
