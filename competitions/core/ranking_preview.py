"""Compare a ranking before an action with the ranking after it, as plain values.

The trap: where places stay empty, excluded players still occupy their ranks, though they are not shown.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from competitions.core.group_standings import DivisionRanks, PlayerPlace, TeamRules, team_standings
from leaderboards.core.ranking.rank_changes import RankChanges, Scores
from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Rules, Ties

Ranks = Mapping[tuple[int, int], int]  # (group, member) → rank in the group; group 0 is the whole ranking


@dataclass(frozen=True, slots=True)
class Ranking:
    """The packed scores of a period by player (internal number), and the excluded players."""

    scores: Scores
    excluded_players: Collection[int]
    stay_empty: bool

    def ranks(self, order: Order, ties: Ties) -> dict[int, int]:
        """Return the rank of each shown player, best first."""
        ranked = [player for player in self.scores if self.stay_empty or player not in self.excluded_players]
        ranked.sort(key=lambda player: self.scores[player], reverse=order is Order.DESC)
        places = rank_scores([self.scores[player][0] for player in ranked], ties)
        pairs = zip(ranked, places, strict=True)
        return {player: place.rank for player, place in pairs if player not in self.excluded_players}


def of_all(ranks: Mapping[int, int]) -> Ranks:
    """Return the ranks of a single list as ``Ranks``, in group 0."""
    return {(0, member): rank for member, rank in ranks.items()}


def team_ranks(rows: Sequence[PlayerPlace], team_of: Mapping[str, int], rules: TeamRules) -> Ranks:
    """Return the ranks of the teams of these rows, which are best first."""
    return of_all({each.team: each.rank for each in team_standings(rows, team_of, rules)})


def division_ranks(ranks: Mapping[int, int], division_of: Mapping[int, int], rules: Rules) -> Ranks:
    """Return the ranks within divisions. ``ranks`` are best first."""
    within = DivisionRanks(rules.ties)
    placed = {(division_of[player], player): rank for player, rank in ranks.items() if player in division_of}
    return {(division, player): within.place(str(division), rank) for (division, player), rank in placed.items()}


def moves_between(before: Ranks, after: Ranks) -> RankChanges:
    """Count the groups whose first place changes, and the ranks that change, appear or disappear."""
    firsts: tuple[defaultdict[int, set[int]], ...] = (defaultdict(set), defaultdict(set))
    for first, ranks in zip(firsts, (before, after), strict=True):
        for (group, member), rank in ranks.items():
            if rank == 1:
                first[group].add(member)
    groups = firsts[0].keys() | firsts[1].keys()
    changed_firsts = sum(firsts[0][group] != firsts[1][group] for group in groups)
    changed_ranks = sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())
    return RankChanges(changed_firsts, changed_ranks)
