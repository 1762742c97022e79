"""League rules: which group a player enters, and who moves up or down at the end of a period.

Tiers are numbered from 1, the lowest, where every player begins. Places come from the board's ranking.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

LARGEST_GROUP = 100
FEWEST_TIERS, MOST_TIERS = 2, 20

Player = TypeVar("Player", bound=Hashable)


class Outcome(StrEnum):
    """What happens to a player at the end of a period."""

    PROMOTED = "promoted"
    STAYED = "stayed"
    DEMOTED = "demoted"


_STEPS = {Outcome.PROMOTED: 1, Outcome.STAYED: 0, Outcome.DEMOTED: -1}


@dataclass(frozen=True, slots=True)
class LeagueRules:
    """The size of a group, how many of its players move up and down, and the number of tiers."""

    group_size: int
    promoted: int
    demoted: int
    tiers: int

    def outcome(self, tier: int, place: int, members: int) -> Outcome:
        """Return the outcome of ``place`` (from 1, ties share a place) among ``members`` in a group of ``tier``.

        Ties favour the player: all who tie with the last promoted player are promoted, and a player who ties with the
        last one who stays is not demoted. The first ``promoted`` places are never demoted, however small the group.
        The highest tier promotes nobody, the lowest demotes nobody.
        """
        if place <= self.promoted:
            return Outcome.PROMOTED if tier < self.tiers else Outcome.STAYED
        return Outcome.DEMOTED if place > members - self.demoted and tier > 1 else Outcome.STAYED

    def demoted_among(self, tier: int, members: int) -> int:
        """Return how many of ``members`` in a group of ``tier`` move down if nobody ties."""
        return max(0, min(self.demoted, members - self.promoted)) if tier > 1 else 0

    def is_unfilled(self, entered: int, ranked: int) -> bool:
        """Whether a group with ``entered`` players has room, or all its ``ranked`` players would be promoted."""
        return entered < self.group_size or ranked <= self.promoted


def places(equals: Iterable[Hashable]) -> list[int]:
    """Return the place of each row, best first: consecutive rows with the same key share a place (1 1 3)."""
    result: list[int] = []
    previous_key: object = None
    for nth, key in enumerate(equals, start=1):
        result.append(result[-1] if result and key == previous_key else nth)
        previous_key = key
    return result


def next_tier(tier: int, outcome: Outcome, tiers: int) -> int:
    """Return the tier that a player enters next, at most ``tiers``, the present number of tiers."""
    return max(1, min(tier + _STEPS[outcome], tiers))


def fill(
    entering: Sequence[tuple[Player, int]], newest: Mapping[int, tuple[int, int]], size: int
) -> list[tuple[Player, int, int]]:
    """Assign players (each with a tier) to groups in order; returns player, tier and group number.

    ``newest`` maps a tier to the number and the size of its newest group. A full group is followed by the next one.
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
