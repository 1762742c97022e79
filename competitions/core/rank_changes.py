"""Who passed what between two looks at the standings, from their ranks alone. Whom to tell is decided elsewhere.

A player who is missing in a look stands below everybody in it. Ranks may be shared, so several can take first place at
once, and nobody loses it to somebody who only draws level. Who moves up because others are gone, or because the field
was so small that everybody was high in it, has passed nobody.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate


class Passage(StrEnum):
    """What a player can pass; the names are those of a competition's alerts."""

    FIRST_TAKEN = "first_taken"
    FIRST_LOST = "first_lost"
    TOP3_ENTERED = "top3_entered"
    TOP10_ENTERED = "top10_entered"


# Highest first. Nobody below the last of these ranks can have passed anything.
_REACHES = ((Passage.FIRST_TAKEN, 1), (Passage.TOP3_ENTERED, 3), (Passage.TOP10_ENTERED, 10))
LOWEST = 10


@dataclass(frozen=True, slots=True)
class Look:
    """The standings at a moment: player → rank of those who are within ``LOWEST`` in it or in the look that it is
    compared with, and how many were ranked in all."""

    ranks: Mapping[int, int]
    total: int


def passages(before: Look, after: Look) -> Iterator[tuple[int, list[Passage]]]:
    """Each player who passed something and what, highest first."""
    to_win = [(passage, rank) for passage, rank in _REACHES if before.total >= rank and after.total > rank]
    overtaking = _Overtaking(before, after)
    for player in sorted(before.ranks.keys() | after.ranks.keys()):
        was, now = before.ranks.get(player), after.ranks.get(player)
        if _reaches(was, 1) and not _reaches(now, 1):
            if after.ranks:
                yield player, [Passage.FIRST_LOST]
            continue
        passed = [passage for passage, rank in to_win if _reaches(now, rank) and not _reaches(was, rank)]
        if passed and now is not None and overtaking.has_passed(was, now):
            yield player, passed


def highest(passed: Collection[Passage], wanted: Collection[str]) -> Passage | None:
    """The one that a player hears of: the highest that is wanted."""
    return next((passage for passage in passed if passage in wanted), None)


class _Overtaking:
    """Those who stand in both looks: whom somebody on the way from one rank to another may have passed."""

    def __init__(self, before: Look, after: Look) -> None:
        stay = sorted((was, after.ranks[player]) for player, was in before.ranks.items() if player in after.ranks)
        self._ranks_before = [was for was, _ in stay]
        self._lowest_now = list(accumulate((now for _, now in stay), max))

    def has_passed(self, was: int | None, now: int) -> bool:
        """Whether one who was ahead of rank ``was`` (None: everybody) is not ahead of rank ``now`` any more."""
        ahead = len(self._ranks_before) if was is None else bisect_left(self._ranks_before, was)
        return ahead > 0 and self._lowest_now[ahead - 1] >= now


def _reaches(rank: int | None, goal: int) -> bool:
    return rank is not None and rank <= goal
