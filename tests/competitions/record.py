"""What was done to a competition, kept in the plainest way, and what must have come of it.

It shares nothing with the services: lists of what was accepted, sets of people, and ``naive.ranking``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from competitions.management.expected import AcceptedScore, Prize, best, ranking


@dataclass
class Entered:
    """A score that was accepted. It counts until it is voided, which may be undone, or its player leaves.

    ``kept`` is whether it counted when they left, for who is brought back.
    """

    id: str
    player: str
    points: int
    at: datetime
    counts: bool = True
    voided: bool = False
    kept: bool = False


@dataclass
class Record:
    """Who takes part, who is left out, and what was scored."""

    stays_empty: bool = False
    taking_part: set[str] = field(default_factory=set)
    disqualified: set[str] = field(default_factory=set)
    banned: set[str] = field(default_factory=set)
    passed_over: set[str] = field(default_factory=set)
    entered: list[Entered] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)

    def join(self, player: str) -> None:
        """They begin anew: what they had before is lost."""
        self.taking_part.add(player)
        self.gone.discard(player)
        for each in self._of(player):
            each.kept = each.voided = False

    def leave(self, player: str) -> None:
        """Gone, with all that was scored."""
        self.taking_part.discard(player)
        self.gone.add(player)
        for each in self._of(player):
            each.kept, each.counts = each.counts, False

    def bring_back(self, player: str, keeps_scores: bool) -> None:
        """As if they had never left, if the board keeps scores."""
        self.taking_part.add(player)
        self.gone.discard(player)
        for each in self._of(player):
            each.counts = each.kept and keeps_scores

    def restorable(self) -> list[Entered]:
        """What was voided, of those who take part."""
        return [each for each in self.entered if each.voided and each.player in self.taking_part]

    def _of(self, player: str) -> list[Entered]:
        return [each for each in self.entered if each.player == player]

    @property
    def playing(self) -> list[str]:
        """Those who may score now."""
        return sorted(self.taking_part - self.disqualified - self.banned)

    def ranks(self) -> dict[str, int]:
        """Player -> rank, of those who are shown."""
        ranked = self._ranked()
        return {player: rank for player, rank in ranked.items() if player in self.playing}

    def points(self) -> dict[str, int]:
        """Player -> points, of those who are shown."""
        return {player: each.points for player, each in best(self._counted(self.playing)).items()}

    def earned(self, prizes: Iterable[Prize]) -> set[tuple[str, str]]:
        """(prize, player) of what those who are shown and not passed over have earned, by rank or points."""
        points = self.points()
        return {
            (prize.name, player)
            for prize in prizes
            for player, place in self._in_line().items()
            if (points[player] >= prize.limit if prize.kind == "points" else prize.from_rank <= place <= prize.limit)
        }

    def _in_line(self) -> dict[str, int]:
        """Player -> place in line for prizes: each who is passed over moves those behind them up."""
        ranks = self.ranks()
        gone = [rank for player, rank in ranks.items() if player in self.passed_over]
        return {
            player: rank - sum(each < rank for each in gone)
            for player, rank in ranks.items()
            if player not in self.passed_over
        }

    def _ranked(self) -> dict[str, int]:
        return ranking(self._counted(self.taking_part if self.stays_empty else self.playing))

    def _counted(self, players: Iterable[str]) -> list[AcceptedScore]:
        known = set(players)
        return [
            AcceptedScore(each.player, each.points, each.at)
            for each in self.entered
            if each.counts and each.player in known
        ]
