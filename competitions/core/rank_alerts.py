"""Find rank alerts by comparing two snapshots of the standings. Whom to notify is decided elsewhere.

Only players who are ranked in both snapshots can overtake or be overtaken. A player who is new or has come back had no
rank to rise from; a player who has left was not overtaken. Rising into a rank is an alert if at least one player was
overtaken, whichever rank that player held. Ranks may be shared: several players can take first place at once, and a
player who only draws level takes it from nobody. A player who rises only because others left, or because the field was
so small that every player was in the top ranks, has overtaken nobody.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate


class RankAlert(StrEnum):
    """A rank that a player can enter or lose; the values are a competition's ``alerts``."""

    FIRST_TAKEN = "first_taken"
    FIRST_LOST = "first_lost"
    TOP3_ENTERED = "top3_entered"
    TOP10_ENTERED = "top10_entered"


# Highest first. A player who ranks below the last of these in both snapshots gets no alert.
_LIMITS = ((RankAlert.FIRST_TAKEN, 1), (RankAlert.TOP3_ENTERED, 3), (RankAlert.TOP10_ENTERED, 10))
LOWEST_ALERT_RANK = 10


@dataclass(frozen=True, slots=True)
class RankSnapshot:
    """The standings at a moment: player → rank, and the total number of ranked players.

    ``ranks`` may be partial. It must hold all players who are within ``LOWEST_ALERT_RANK`` in either snapshot and, of
    the players below it in both, the best of each snapshot: enough to tell whether any of those was overtaken.
    """

    ranks: Mapping[int, int]
    total: int


def rank_alerts(before: RankSnapshot, after: RankSnapshot) -> Iterator[tuple[int, list[RankAlert]]]:
    """Yield each player with their alerts, highest first."""
    possible = [(alert, rank) for alert, rank in _LIMITS if before.total >= rank and after.total > rank]
    in_both = before.ranks.keys() & after.ranks.keys()
    changes = {player: (before.ranks[player], after.ranks[player]) for player in in_both}
    overtaking = _Overtaking(changes.values())
    for player, (old_rank, new_rank) in sorted(changes.items()):
        if old_rank == 1 and overtaking.is_ahead_of(new_rank):
            yield player, [RankAlert.FIRST_LOST]
            continue
        alerts = [alert for alert, rank in possible if new_rank <= rank < old_rank]
        if alerts and overtaking.has_passed(old_rank, new_rank):
            yield player, alerts


def highest_wanted(alerts: Collection[RankAlert], wanted: Collection[str]) -> RankAlert | None:
    """Return the highest alert that is wanted, the only one that a player gets."""
    return next((alert for alert in alerts if alert in wanted), None)


class _Overtaking:
    """Answers who overtook whom among the players of both snapshots, given as (old rank, new rank)."""

    def __init__(self, changes: Iterable[tuple[int, int]]) -> None:
        by_old_rank = sorted(changes)
        self._old_ranks = [old for old, _ in by_old_rank]
        # The worst new rank of the first n players in the order of their old ranks.
        self._worst_new_ranks = list(accumulate((new for _, new in by_old_rank), max))
        self._best_new_rank = min((new for _, new in by_old_rank), default=None)

    def has_passed(self, old_rank: int, new_rank: int) -> bool:
        """Whether a player who was ahead of ``old_rank`` is no longer ahead of ``new_rank``."""
        ahead = bisect_left(self._old_ranks, old_rank)
        return ahead > 0 and self._worst_new_ranks[ahead - 1] >= new_rank

    def is_ahead_of(self, new_rank: int) -> bool:
        """Whether any player is ahead of ``new_rank`` now. (No player was ahead of a former leader.)"""
        return self._best_new_rank is not None and self._best_new_rank < new_rank
