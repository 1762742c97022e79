"""Who passed what between two looks at the standings, from their ranks alone. Whom to tell is decided elsewhere.

Only who stands in both looks can pass or be passed: who comes back, or comes for the first time, had no place to rise
from, and who is gone was not passed. Whom somebody passed does not matter, it may be one who never held the place that
is won. Ranks may be shared, so several can take first place at once, and nobody loses it to somebody who only draws
level. Who moves up because others are gone, or because the field was so small that everybody was high in it, has passed
nobody.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate


class RankAlert(StrEnum):
    """What a player can pass; the names are those of a competition's alerts."""

    FIRST_TAKEN = "first_taken"
    FIRST_LOST = "first_lost"
    TOP3_ENTERED = "top3_entered"
    TOP10_ENTERED = "top10_entered"


# Highest first. Nobody below the last of these ranks can have passed anything.
_REACHES = ((RankAlert.FIRST_TAKEN, 1), (RankAlert.TOP3_ENTERED, 3), (RankAlert.TOP10_ENTERED, 10))
LOWEST_ALERT_RANK = 10


@dataclass(frozen=True, slots=True)
class RankSnapshot:
    """The standings at a moment: player → rank, and how many were ranked in all.

    Ranks may be of all, or of those who are within ``LOWEST_ALERT_RANK`` in it or in the look that it is compared with,
    and of those below in both the best of either look: those who passed or fell behind anybody below have them too.
    """

    ranks: Mapping[int, int]
    total: int


def rank_alerts(before: RankSnapshot, after: RankSnapshot) -> Iterator[tuple[int, list[RankAlert]]]:
    """Each player who passed something and what, highest first."""
    to_win = [(passage, rank) for passage, rank in _REACHES if before.total >= rank and after.total > rank]
    stay = {player: (before.ranks[player], after.ranks[player]) for player in before.ranks.keys() & after.ranks.keys()}
    overtaking = _Overtaking(stay.values())
    for player, (was, now) in sorted(stay.items()):
        if was == 1 and overtaking.is_ahead_of(now):
            yield player, [RankAlert.FIRST_LOST]
            continue
        passed = [passage for passage, rank in to_win if now <= rank < was]
        if passed and overtaking.has_passed(was, now):
            yield player, passed


def highest_wanted(passed: Collection[RankAlert], wanted: Collection[str]) -> RankAlert | None:
    """The one that a player hears of: the highest that is wanted."""
    return next((passage for passage in passed if passage in wanted), None)


class _Overtaking:
    """Those who stand in both looks, as (rank before, rank now): whom one of them may have passed."""

    def __init__(self, stay: Iterable[tuple[int, int]]) -> None:
        moves = sorted(stay)
        self._ranks_before = [was for was, _ in moves]
        self._lowest_now = list(accumulate((now for _, now in moves), max))
        self._best_now = min((now for _, now in moves), default=None)

    def has_passed(self, was: int, now: int) -> bool:
        """Whether one who was ahead of rank ``was`` is not ahead of rank ``now`` any more."""
        ahead = bisect_left(self._ranks_before, was)
        return ahead > 0 and self._lowest_now[ahead - 1] >= now

    def is_ahead_of(self, now: int) -> bool:
        """Whether any of them is ahead of rank ``now``: of a leader of before, each of them was not."""
        return self._best_now is not None and self._best_now < now
