"""Count how many ranks differ after some scores of a list have changed.

A player who gets or loses a rank counts too, as where SQL counts (``selectors/previews/exclusion.py``).
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Ties

Scores = Mapping[int, tuple[float, str]]  # by player: the packed score, and the member that sorts equals


class RankChanges(NamedTuple):
    """In how many lists the first place changes, and how many players get another rank, or get or lose one.

    If not ``is_exact``, ``ranks`` is an upper bound in ``selectors/previews/rank_moves.py``, and a lower bound in
    ``selectors/previews/exclusion.py``.
    """

    firsts: int = 0
    ranks: int = 0
    is_exact: bool = True

    def plus(self, other: "RankChanges") -> "RankChanges":
        """Return the sum of both."""
        return RankChanges(self.firsts + other.firsts, self.ranks + other.ranks, self.is_exact and other.is_exact)


def count_rank_changes(
    before: Scores, after: Scores, order: Order, ties: Ties, uncounted: Collection[int] = ()
) -> RankChanges:
    """Compare two states of a list. The ``uncounted`` players are ranked but not shown."""
    old, new = (_ranks(scores, order, ties) for scores in (before, after))
    shown = (old.keys() | new.keys()) - set(uncounted)
    firsts = [{player for player in shown if ranks.get(player) == 1} for ranks in (old, new)]
    return RankChanges(int(firsts[0] != firsts[1]), sum(old.get(player) != new.get(player) for player in shown))


def _ranks(scores: Scores, order: Order, ties: Ties) -> dict[int, int]:
    players = sorted(scores, key=lambda player: scores[player], reverse=order is Order.DESC)
    ranks = rank_scores([scores[player][0] for player in players], ties)
    return {player: shared.rank for player, shared in zip(players, ranks, strict=True)}
