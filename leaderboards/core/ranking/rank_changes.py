"""How many ranks are others after some scores of a list have changed. Everything else stands still meanwhile.

A rank that somebody has no more, or has anew, is one that changes too, as it is where SQL counts (``if_banned.py``).
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Ties

Scores = Mapping[int, tuple[float, str]]  # by player: the packed score, and the member that orders equals


class RankChanges(NamedTuple):
    """In how many lists others are first, and how many players have another rank, or one more or none any more.

    ``is_exact`` is False where not all was counted: then ``ranks`` is the most that can be where ranks of a list were
    to be compared (``selectors/previews/rank_moves.py``), and the least where SQL counts
    (``selectors/previews/exclusion.py``).
    """

    firsts: int = 0
    ranks: int = 0
    is_exact: bool = True

    def plus(self, other: "RankChanges") -> "RankChanges":
        """Both together."""
        return RankChanges(self.firsts + other.firsts, self.ranks + other.ranks, self.is_exact and other.is_exact)


def count_rank_changes(
    before: Scores, after: Scores, order: Order, ties: Ties, uncounted: Collection[int] = ()
) -> RankChanges:
    """What differs between two states of a list. The ``uncounted`` hold places, and nobody sees them."""
    was, now = (_ranks(scores, order, ties) for scores in (before, after))
    shown = (was.keys() | now.keys()) - set(uncounted)
    firsts = [{player for player in shown if ranks.get(player) == 1} for ranks in (was, now)]
    return RankChanges(int(firsts[0] != firsts[1]), sum(was.get(player) != now.get(player) for player in shown))


def _ranks(scores: Scores, order: Order, ties: Ties) -> dict[int, int]:
    listed = sorted(scores, key=lambda player: scores[player], reverse=order is Order.DESC)
    found = rank_scores([scores[player][0] for player in listed], ties)
    return {player: place.rank for player, place in zip(listed, found, strict=True)}
