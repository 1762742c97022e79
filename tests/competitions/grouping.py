"""Team competitions: teams by their names, with members who have joined and scored."""

from typing import Any

from competitions.models import Competition, Participant, Team
from competitions.selectors.standings.group_standings import TeamRow, group_standings
from competitions.services.participants.join import join
from competitions.services.participants.teams import TeamChoice
from foundation.errors import SunwiError
from leaderboards.models import Board
from tests.competitions.factories import START, DivisionFactory, TeamFactory
from tests.competitions.site import SOON, follow, open_competition, player, reloaded, score

Teams = dict[str, dict[str, int | None]]


def team_race(teams: Teams, board: Board | None = None, **settings: Any) -> Competition:
    """A competition of these teams, team → player → points; None is a member without a score."""
    competition = open_competition(board, **{"team_score": "sum", **settings})
    for name, members in teams.items():
        team = TeamFactory.create(competition=competition, name=name)
        for member in members:
            join(competition, player(member), START, choice=TeamChoice(team=team.pk))
    points = {who: has for members in teams.values() for who, has in members.items() if has is not None}
    assert {outcome.code for outcome in score(competition, points)} <= {None}
    follow(competition)
    return competition


def in_division(competition: Competition, name: str, *players: str) -> int:
    """A division with these participants; returns its number."""
    division = DivisionFactory.create(competition=competition, name=name)
    Participant.objects.filter(competition=competition, player__external_id__in=players).update(division=division)
    return int(division.pk)


def team_rows(competition: Competition, at: Any = SOON, full: bool = False) -> list[TeamRow]:
    """The teams as the public is shown them or, in ``full``, as they are."""
    return group_standings(reloaded(competition), at, full)[1].teams


def team_ranks(competition: Competition, at: Any = SOON, full: bool = False) -> list[tuple[str, int | None, object]]:
    """Team, rank and points."""
    return [(row.name, row.rank, row.points) for row in team_rows(competition, at, full)]


def team_called(competition: Competition, name: str) -> Team:
    return competition.teams.get(name=name)


def members(team: Team) -> set[str]:
    """Who has a place in a team."""
    return set(team.participants.filter(left_at=None).values_list("player__external_id", flat=True))


def participant(competition: Competition, name: str) -> Participant:
    """The row of somebody who takes part."""
    return Participant.objects.get(competition=competition, player__external_id=name)


def outcome(action: Any) -> str:
    """The code of what refuses the action, or that it is done."""
    try:
        action()
    except SunwiError as error:
        return error.code
    return "done"
