"""A competition's ranking before an act and after it: those who are ranked, their teams and divisions, and what a
published result says of all that. Of SQL's standings as they are.

The trap: who is banned or restricted is out on either side, whatever the act makes of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.db.models import QuerySet

from competitions.core.group_standings import PlayerPlace
from competitions.core.ranking_preview import Ranking, division_ranks, team_ranks
from competitions.core.rewards import RankedPlayer
from competitions.models import Competition, Participant, VacatedPlaces
from competitions.selectors.previews.effects import ActionEffect, ParticipantState
from competitions.selectors.rewards.earners import RankedResult, ranked_player
from competitions.selectors.standings.group_standings import team_rules
from leaderboards.core.instants import from_milliseconds
from leaderboards.models import FinalStanding, Period, PeriodState, Player, Standing
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import visible_q

MOST_READ = 200_000  # standings, and participants: about a second
_OVER = (PeriodState.FINAL, PeriodState.EXPIRED)


class ResultState:
    """A competition before the act, or after it."""

    def __init__(
        self, competition: Competition, period: Period, ranking: Ranking, parts: Mapping[int, ParticipantState]
    ) -> None:
        """``parts`` are of all participants, the barred among those whom the act concerns as if they were out."""
        self._competition, self._period, self._ranking, self._parts = competition, period, ranking, parts
        rules = period.rules
        self.ranks = ranking.ranks(rules.order, rules.ties)
        self.firsts = {player for player, rank in self.ranks.items() if rank == 1}
        teams = {str(player): part.team for player, part in parts.items() if part.team is not None}
        self.teams = team_ranks(list(self._places()), teams, team_rules(competition, rules)) if teams else {}
        divisions = {player: part.division for player, part in parts.items() if part.division is not None}
        self.divisions = division_ranks(self.ranks, divisions, rules)

    def excluding(self, players: list[int]) -> "ResultState":
        """The same without these players (by internal number), and no others."""
        ranking = self._ranking
        if set(players) & ranking.scores.keys() == set(ranking.excluded_players) & ranking.scores.keys():
            return self
        return ResultState(
            self._competition, self._period, Ranking(ranking.scores, players, ranking.stay_empty), self._parts
        )

    def rows(self) -> object:
        """All that a published result says of it; who takes part in a team counts there without a score too."""
        scores, here = self._ranking.scores, self.taking_part()
        members = sorted((part.team, player) for player, part in self._parts.items() if part.team and player in here)
        named = {player: (part.team, part.division) for player, part in self._parts.items()}
        rows = [(rank, player, scores[player], named.get(player)) for player, rank in self.ranks.items()]
        return sorted(rows), self.teams, members

    def result(self) -> RankedResult:
        """What rewards follow."""
        return RankedResult(len(self.ranks), self._period.rules, self._ranked)

    def taking_part(self) -> set[int]:
        """Those who have not gone and are not disqualified."""
        return {player for player, part in self._parts.items() if not (part.gone or part.out)}

    def _ranked(self) -> Iterator[RankedPlayer]:
        scores = self._ranking.scores
        return (ranked_player(self._period, player, rank, scores[player]) for player, rank in self.ranks.items())

    def _places(self) -> Iterator[PlayerPlace]:
        of_points, unpack = self._period.rules.of_points, self._period.layout.unpack
        for player, rank in self.ranks.items():
            value, at_ms, _member = unpack(*self._ranking.scores[player])
            at = None if at_ms is None else from_milliseconds(at_ms)
            yield PlayerPlace(str(player), rank, value[0] if of_points else 0, at)


def before_and_after(competition: Competition, period: Period, effect: ActionEffect) -> tuple[ResultState, ResultState]:
    """Before the act and after it."""
    rows = _standing(period).values_list("player_id", "score", "member")
    scores = {player: (score or 0.0, member) for player, score, member in rows}
    hidden = hidden_now(period).keys()
    concerned = Player.objects.filter(pk__in={*effect.parts, *effect.states})
    barred = set(concerned.exclude(visible_q(competition.board_id, "", period.pk)).values_list("pk", flat=True))
    parts = _parts(competition)
    then = {**parts, **effect.parts}
    for player in barred & parts.keys():
        parts[player], then[player] = (replace(each[player], out=True) for each in (parts, then))
    out = {player for player, part in then.items() if part.out} | barred | (hidden - effect.parts.keys())
    stay_empty = competition.vacated_places == VacatedPlaces.STAY_EMPTY
    moved = {player: placed for player, placed in scores.items() if player not in effect.states}
    for player, name in concerned.values_list("pk", "external_id"):
        if (state := effect.states.get(player)) is not None:
            packed = period.layout.pack(state.value, state.at_ms, name)
            moved[player] = packed.score, packed.member
    return (
        ResultState(competition, period, Ranking(scores, hidden, stay_empty), parts),
        ResultState(competition, period, Ranking(moved, out, stay_empty), then),
    )


def _parts(competition: Competition) -> dict[int, ParticipantState]:
    columns = ("player_id", "left_at", "disqualified_at", "team_id", "division_id")
    rows = Participant.objects.filter(competition=competition).order_by().values_list(*columns)
    return {
        player: ParticipantState(left is not None, out is not None, team, division)
        for player, left, out, team, division in rows
    }


def is_long(competition: Competition, period: Period) -> bool:
    """Whether there is more of it than ``MOST_READ``."""
    several = (_standing(period), Participant.objects.filter(competition=competition).order_by())
    return any(rows.count() > MOST_READ for rows in several)


def _standing(period: Period) -> QuerySet[FinalStanding] | QuerySet[Standing]:
    if period.state in _OVER:
        return FinalStanding.objects.filter(period=period).order_by()
    return Standing.objects.filter(period=period, score__isnull=False).order_by()
