"""Who passed what between two snapshots, from their ranks alone. Whom to tell is decided elsewhere.

A player who is missing in a snapshot stands below everybody in it. Ranks may be shared, so several can take
first place at once, and nobody loses it to somebody who only draws level.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum


class Passage(StrEnum):
    """What a player can pass; the names are those of a competition's alerts."""

    FIRST_TAKEN = "first_taken"
    FIRST_LOST = "first_lost"
    TOP3_ENTERED = "top3_entered"
    TOP10_ENTERED = "top10_entered"


# Highest first. Nobody below the last of these ranks can have passed anything.
_REACHES = ((Passage.FIRST_TAKEN, 1), (Passage.TOP3_ENTERED, 3), (Passage.TOP10_ENTERED, 10))
LOWEST = 10


def passages(before: Mapping[int, int], after: Mapping[int, int]) -> Iterator[tuple[int, list[Passage]]]:
    """Each player who passed something and what, highest first. The mappings are player → rank, down to ``LOWEST``."""
    for player in sorted(before.keys() | after.keys()):
        if passed := passed_between(before.get(player), after.get(player)):
            yield player, passed


def passed_between(was: int | None, now: int | None) -> list[Passage]:
    """What a player passed on his way from one rank to the other, highest first; None is below everybody."""
    if _reaches(was, 1) and not _reaches(now, 1):
        return [Passage.FIRST_LOST]
    return [passage for passage, rank in _REACHES if _reaches(now, rank) and not _reaches(was, rank)]


def highest(passed: Collection[Passage], wanted: Collection[str]) -> Passage | None:
    """The one that a player hears of: the highest that is wanted."""
    return next((passage for passage in passed if passage in wanted), None)


def _reaches(rank: int | None, goal: int) -> bool:
    return rank is not None and rank <= goal
