"""Team and division standings, derived from the rows of players that the asker may see, of one moment.

Rows come from SQL in one statement, so on redis boards they follow by about a second. They are computed for the label
that may be shown (``selectors/standings/standings.py``), and remembered by that label: what a freeze hides is in none
of them. Membership is of now: whom somebody moves counts in the new team at once, also during a freeze.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count

from competitions.core.group_standings import (
    Formula,
    PlayerPlace,
    TeamPlace,
    TeamRules,
    division_places,
    team_standings,
)
from competitions.models import Competition, Participant, Team, TeamScore
from competitions.selectors.standings import standings as of_players
from foundation.caching.micro_cache import MicroCache
from leaderboards import selectors
from leaderboards.core.input.points import points_number, scaled
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import UnknownPeriod
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.visibility.restrictions import current_viewer, visible_q
from leaderboards.stores.base import Page

AVERAGE_DECIMALS = 2  # more than points have
MOST_ROWS_KEPT = 150_000  # of all competitions together, in each process; about 0.7 kB each

_Value = tuple[int | Decimal | None, dict[str, int] | None]


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A team in its place; rank, ties and value are None while no member has a score.

    ``members`` take part in it now, ``counted`` of them make its standing; ``at`` is when it had reached that.
    """

    team: int
    name: str
    rank: int | None
    tied: int | None
    points: int | Decimal | None
    fields: dict[str, int] | None
    achieved_at: datetime | None
    members: int
    counted: int

    @classmethod
    def without_score(cls, team: int, name: str, members: int) -> "TeamRow":
        """A team of which nobody has scored."""
        return cls(team, name, None, None, None, None, None, members, 0)


@dataclass(frozen=True, slots=True)
class DivisionRow:
    """A player's row with their place within the division; the row itself keeps the place overall."""

    row: Row
    rank: int
    tied: int
    ahead: int


@dataclass(frozen=True, slots=True)
class GroupStandings:
    """All of it, of one moment. ``scored`` are each team's rows, the best first; ``team_of`` goes by players' ids."""

    teams: list[TeamRow]
    scored: dict[int, list[Row]]
    team_of: dict[str, int]
    divisions: dict[int, list[DivisionRow]]
    rows: int

    def row_of(self, team: Team) -> TeamRow:
        """A team's row; one without a score for a team that was made in the last second."""
        found = (each for each in self.teams if each.team == team.pk)
        return next(found, TeamRow.without_score(team.pk, team.name, 0))


_lately: MicroCache[tuple[int, str, str | None], tuple[datetime, GroupStandings]] = MicroCache(
    MOST_ROWS_KEPT, lambda found: found[1].rows, ttl_per_cost=4
)


def group_standings(competition: Competition, at: datetime, full: bool = False) -> tuple[datetime, GroupStandings]:
    """When it was so, and the competition by teams and divisions, as the asker may see it."""

    def question(label: str) -> tuple[datetime, GroupStandings]:
        return _lately.get_or_compute((competition.pk, label, current_viewer()), lambda: _load(competition, label))

    try:
        return of_players.read_visible(competition, at, question, full)
    except UnknownPeriod:
        return at, _by_groups(competition, [], competition.board.rules)


def clear_group_standings(competition: Competition | None = None) -> None:
    """Somebody was moved, hidden or shown again in this competition: this process knows it at once. None is all."""
    if competition is None:
        _lately.forget()
    else:
        _lately.forget(lambda key: key[0] == competition.pk)


def division_page(
    competition: Competition, division: int, at: datetime, rows: Page
) -> tuple[Standings, list[DivisionRow]]:
    """A page of a division: its standings, whose total counts the division alone, and its rows with both places."""
    head = of_players.standings(competition, at, 0, 1)
    as_of, found = group_standings(competition, at)
    placed = found.divisions.get(division, [])
    shown = placed[rows.offset : rows.offset + rows.limit]
    return replace(head, total=len(placed), rows=[each.row for each in shown], as_of=as_of), shown


def _load(competition: Competition, label: str) -> tuple[datetime, GroupStandings]:
    as_of, rows = selectors.export_rows(competition.board, label)
    period = period_by_label(competition.board, label)
    rules = competition.board.rules if period is None else period.rules
    return as_of, _by_groups(competition, list(rows), rules)


def _by_groups(competition: Competition, rows: Sequence[Row], rules: Rules) -> GroupStandings:
    team_of, division_of = _membership(competition)
    places = _team_places(competition, rows, rules, team_of) if competition.has_teams else []
    scored = {each.team: [rows[index] for index in each.scored] for each in places}
    best = {team: of_team[0] for team, of_team in scored.items()}
    teams = team_rows(competition, rules, places, best) if competition.has_teams else []
    return GroupStandings(teams, scored, team_of, _by_division(rows, division_of, rules), len(rows))


def team_rules(competition: Competition, rules: Rules) -> TeamRules:
    """How its teams rank, by its settings and the rules of its period."""
    return TeamRules(Formula(competition.team_score), rules.order, rules.ties, competition.team_counts)


def player_place(row: Row, rules: Rules) -> PlayerPlace:
    """A row as teams are made of it."""
    return PlayerPlace(row.player, row.rank or 0, scaled(row.points or 0, rules.decimals), row.achieved_at)


def team_rows(
    competition: Competition, rules: Rules, places: Sequence[TeamPlace], best: Mapping[int, Row]
) -> list[TeamRow]:
    """The ranked, best first; then those without a score, by name. ``best`` are the rows of best members, by team."""
    members = _members(competition)
    empty = {
        team: TeamRow.without_score(team, name, members.get(team, 0))
        for team, name in competition.teams.values_list("pk", "name")
    }
    ranked = [
        _in_place(empty.pop(each.team), each, *_value(each, rules, competition.team_score, best[each.team]))
        for each in places
        if each.team in empty
    ]
    return ranked + list(empty.values())


def _membership(competition: Competition) -> tuple[dict[str, int], dict[str, int]]:
    """By players' ids their team and their division: of all who ever joined, since rows say who is shown."""
    rows = competition.participants.exclude(team=None, division=None).order_by()
    columns = list(rows.values_list("player__external_id", "team_id", "division_id"))
    teams = {player: team for player, team, _ in columns if team}
    return teams, {player: division for player, _, division in columns if division}


def _members(competition: Competition) -> dict[int, int]:
    """By team how many take part in it now."""
    shown_here = visible_q(competition.board_id)
    rows = competition.participants.filter(Participant.TAKING_PART, shown_here, team__isnull=False)
    return dict(rows.order_by().values_list("team").annotate(Count("pk")))


def _team_places(
    competition: Competition, rows: Sequence[Row], rules: Rules, team_of: Mapping[str, int]
) -> list[TeamPlace]:
    return team_standings([player_place(row, rules) for row in rows], team_of, team_rules(competition, rules))


def _in_place(row: TeamRow, place: TeamPlace, points: int | Decimal | None, fields: dict[str, int] | None) -> TeamRow:
    return TeamRow(row.team, row.name, place.rank, place.tied, points, fields, place.at, row.members, place.counted)


def _value(place: TeamPlace, rules: Rules, team_score: str, best: Row) -> _Value:
    """Points, or the best member's fields on boards of criteria."""
    return (points_of(place.value, rules.decimals, team_score), None) if rules.of_points else (None, best.fields)


def points_of(value: Fraction, decimals: int, team_score: str) -> int | Decimal:
    """Scaled points as people see them: exact, but an average is rounded to two decimals more than points have."""
    if team_score != TeamScore.AVERAGE:
        return points_number(int(value), decimals)
    return points_number(round(value * 10**AVERAGE_DECIMALS), decimals + AVERAGE_DECIMALS)


def _by_division(rows: Sequence[Row], division_of: Mapping[str, int], rules: Rules) -> dict[int, list[DivisionRow]]:
    within: dict[int, list[Row]] = {}
    for row in rows:
        division = division_of.get(row.player)
        if division is not None:
            within.setdefault(division, []).append(row)
    return {division: _placed(found, rules) for division, found in within.items()}


def _placed(rows: Sequence[Row], rules: Rules) -> list[DivisionRow]:
    ranks = [row.rank or 0 for row in rows]
    found: list[DivisionRow] = []
    first = 0
    for index, (row, place) in enumerate(zip(rows, division_places(ranks, rules.ties), strict=True)):
        first = first if index and ranks[index] == ranks[index - 1] else index
        found.append(DivisionRow(row, place.rank, place.tied, first))
    return found
