"""A ranking before an act and after it, as plain values: who is ranked, and how much of it differs.

The trap: where places stay empty, those who are left out go on holding theirs, and nobody sees them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from competitions.core.group_standings import DivisionRanks, PlayerPlace, TeamRules, team_standings
from leaderboards.core.ranking.rank_changes import RankChanges, Scores
from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Rules, Ties

Ranks = Mapping[tuple[int, int], int]  # by group (0 is all of them) and member of it: the rank there


@dataclass(frozen=True, slots=True)
class Ranking:
    """The packed scores of a period by player (internal number), and who of them is left out of it."""

    scores: Scores
    excluded_players: Collection[int]
    stay_empty: bool

    def ranks(self, order: Order, ties: Ties) -> dict[int, int]:
        """The rank of each player who is shown, the best first."""
        counted = [player for player in self.scores if self.stay_empty or player not in self.excluded_players]
        counted.sort(key=lambda player: self.scores[player], reverse=order is Order.DESC)
        held = rank_scores([self.scores[player][0] for player in counted], ties)
        ranked = zip(counted, held, strict=True)
        return {player: place.rank for player, place in ranked if player not in self.excluded_players}


def of_all(ranks: Mapping[int, int]) -> Ranks:
    """Ranks of one list."""
    return {(0, member): rank for member, rank in ranks.items()}


def team_ranks(rows: Sequence[PlayerPlace], team_of: Mapping[str, int], rules: TeamRules) -> Ranks:
    """The ranks of the teams that these rows make, which stand best first."""
    return of_all({each.team: each.rank for each in team_standings(rows, team_of, rules)})


def division_ranks(ranks: Mapping[int, int], division_of: Mapping[int, int], rules: Rules) -> Ranks:
    """The ranks within divisions. ``ranks`` stand best first."""
    within = DivisionRanks(rules.ties)
    placed = {(division_of[player], player): rank for player, rank in ranks.items() if player in division_of}
    return {(division, player): within.place(str(division), rank) for (division, player), rank in placed.items()}


def moves_between(before: Ranks, after: Ranks) -> RankChanges:
    """In how many groups others are first, and how many ranks are others, come or go."""
    firsts: tuple[defaultdict[int, set[int]], ...] = (defaultdict(set), defaultdict(set))
    for first, ranks in zip(firsts, (before, after), strict=True):
        for (group, member), rank in ranks.items():
            if rank == 1:
                first[group].add(member)
    groups = firsts[0].keys() | firsts[1].keys()
    others = sum(firsts[0][group] != firsts[1][group] for group in groups)
    return RankChanges(others, sum(before.get(each) != after.get(each) for each in before.keys() | after.keys()))
