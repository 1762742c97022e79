"""A competition's ranking before and after an action, with teams, divisions and the content of a published result.

It is computed from the present standings in SQL. The trap: banned and restricted players are excluded on both sides,
whatever the action does to them.
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
from leaderboards.models import OVER_STATES, FinalStanding, Period, Player, Standing
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import visible_q

MOST_READ = 200_000  # rows of standings or participants: about a second


class ResultState:
    """The ranking of a competition, before or after an action."""

    def __init__(
        self, competition: Competition, period: Period, ranking: Ranking, parts: Mapping[int, ParticipantState]
    ) -> None:
        """``parts`` are the states of all participants; affected players who are banned count as disqualified."""
        self._competition, self._period, self._ranking, self._parts = competition, period, ranking, parts
        rules = period.rules
        self.ranks = ranking.ranks(rules.order, rules.ties)
        self.firsts = {player for player, rank in self.ranks.items() if rank == 1}
        teams = {str(player): part.team for player, part in parts.items() if part.team is not None}
        self.teams = team_ranks(list(self._places()), teams, team_rules(competition, rules)) if teams else {}
        divisions = {player: part.division for player, part in parts.items() if part.division is not None}
        self.divisions = division_ranks(self.ranks, divisions, rules)

    def excluding(self, players: list[int]) -> "ResultState":
        """Return the state with exactly these players (internal numbers) excluded."""
        ranking = self._ranking
        if set(players) & ranking.scores.keys() == set(ranking.excluded_players) & ranking.scores.keys():
            return self
        return ResultState(
            self._competition, self._period, Ranking(ranking.scores, players, ranking.stay_empty), self._parts
        )

    def rows(self) -> object:
        """Return all that a published result contains, to compare. Team members count there even without a score."""
        scores, present = self._ranking.scores, self.taking_part()
        parts = self._parts.items()
        members = sorted((part.team, player) for player, part in parts if part.team and player in present)
        groups = {player: (part.team, part.division) for player, part in parts}
        rows = [(rank, player, scores[player], groups.get(player)) for player, rank in self.ranks.items()]
        return sorted(rows), self.teams, members

    def result(self) -> RankedResult:
        """Return the result for computing rewards."""
        return RankedResult(len(self.ranks), self._period.rules, self._ranked)

    def taking_part(self) -> set[int]:
        """Return the players who have neither left nor been disqualified."""
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
    """Return the states before and after an action."""
    rows = _standings(period).values_list("player_id", "score", "member")
    scores = {player: (score or 0.0, member) for player, score, member in rows}
    hidden = hidden_now(period).keys()
    affected = Player.objects.filter(pk__in={*effect.parts, *effect.states})
    banned = set(affected.exclude(visible_q(competition.board_id, "", period.pk)).values_list("pk", flat=True))
    parts_before = _read_parts(competition)
    parts_after = {**parts_before, **effect.parts}
    for player in banned & parts_before.keys():
        for parts in (parts_before, parts_after):
            parts[player] = replace(parts[player], out=True)
    disqualified = {player for player, part in parts_after.items() if part.out}
    excluded = disqualified | banned | (hidden - effect.parts.keys())
    stay_empty = competition.vacated_places == VacatedPlaces.STAY_EMPTY
    scores_after = {player: packed for player, packed in scores.items() if player not in effect.states}
    for player, name in affected.values_list("pk", "external_id"):
        if (state := effect.states.get(player)) is not None:
            packed = period.layout.pack(state.value, state.at_ms, name)
            scores_after[player] = packed.score, packed.member
    return (
        ResultState(competition, period, Ranking(scores, hidden, stay_empty), parts_before),
        ResultState(competition, period, Ranking(scores_after, excluded, stay_empty), parts_after),
    )


def _read_parts(competition: Competition) -> dict[int, ParticipantState]:
    columns = ("player_id", "left_at", "disqualified_at", "team_id", "division_id")
    rows = Participant.objects.filter(competition=competition).order_by().values_list(*columns)
    return {
        player: ParticipantState(left_at is not None, disqualified_at is not None, team, division)
        for player, left_at, disqualified_at, team, division in rows
    }


def is_long(competition: Competition, period: Period) -> bool:
    """Whether it has more than ``MOST_READ`` standings or participants."""
    tables = (_standings(period), Participant.objects.filter(competition=competition).order_by())
    return any(rows.count() > MOST_READ for rows in tables)


def _standings(period: Period) -> QuerySet[FinalStanding] | QuerySet[Standing]:
    if period.state in OVER_STATES:
        return FinalStanding.objects.filter(period=period).order_by()
    return Standing.objects.filter(period=period, score__isnull=False).order_by()
