"""The teams of a competition: standings, one team with its members, CSV, creating a team, and changing teams."""

import csv
import io
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import competition_to_read, competition_to_write, is_private
from competitions.api.bodies import name_given, team_wanted
from competitions.api.parameters import COMPETITION, TEAM
from competitions.api.schemas.teams import ParticipantOfTeam, TeamMade, TeamsOfCompetition, TeamWithMembers
from competitions.errors import NotAParticipant, NoTeams
from competitions.models import Competition
from competitions.selectors.participants.teams import Member, members_of, team_by_id
from competitions.selectors.standings.group_columns import team_shown
from competitions.selectors.standings.group_standings import TeamRow, group_standings
from competitions.services.participants.teams import choose_team, make_team
from foundation import clock
from foundation.http.encoding import Volatile, when
from foundation.messages import Message
from leaderboards.api.http.access import OptionalKey, RequireKey
from leaderboards.api.http.downloads import CSV
from leaderboards.api.http.paging import refuse_too_many_rows
from leaderboards.api.http.parameters import LIMIT, OFFSET, PLAYER, RAW, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_digest, etag_response, json_response, not_modified, with_etag
from leaderboards.core.input.csv_cells import raw_cell, safe_cell
from leaderboards.core.input.entries import read_player
from leaderboards.models import Player

WRITES = RequireKey("players:write")

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/teams", response=TeamsOfCompetition)
def read_teams(
    request: HttpRequest, competition: WholeNumber = COMPETITION, offset: Bounded = OFFSET, limit: Bounded = LIMIT
) -> HttpResponse:
    """A page of a competition's teams, best first; those without a score come last."""
    refuse_too_many_rows(request, limit)
    found, at = _with_teams(competition_to_read(request, competition)), clock.now()
    as_of, groups = group_standings(found, at)
    teams = groups.teams
    content = {
        "competition": found.pk,
        "total": len(teams),
        "ranked": sum(1 for each in teams if each.rank is not None),
        "as_of": Volatile(when(as_of)),
        "rows": [team_shown(each) for each in teams[offset : offset + limit]],
    }
    return etag_response(request, content, is_private(found))


@router.get("/competitions/{competition}/teams.csv", response=None)
def export_teams(request: HttpRequest, competition: WholeNumber = COMPETITION, raw: bool = RAW) -> HttpResponse:
    """All teams as CSV, best first; during a freeze as they stood before it."""
    found, at = _with_teams(competition_to_read(request, competition)), clock.now()
    as_of, groups = group_standings(found, at)
    body = _csv(found, groups.teams, raw)
    return _download(request, found, body, as_of)


@router.get("/competitions/{competition}/teams/{team}", response=TeamWithMembers)
def read_team(request: HttpRequest, competition: WholeNumber = COMPETITION, team: WholeNumber = TEAM) -> HttpResponse:
    """One team in its place, with its members and what they have."""
    found, at = _with_teams(competition_to_read(request, competition)), clock.now()
    as_of, groups = group_standings(found, at)
    wanted = team_by_id(found, team)
    row = groups.row_of(wanted)
    members = members_of(wanted, groups.scored.get(wanted.pk, []), row.counted)
    content = team_shown(row) | {
        "competition": found.pk,
        "as_of": Volatile(when(as_of)),
        "rows": [_member_json(each) for each in members],
    }
    return etag_response(request, content, is_private(found))


@router.post("/competitions/{competition}/teams", auth=WRITES, response=TeamMade)
def make_team_of_competition(request: HttpRequest, competition: WholeNumber = COMPETITION) -> HttpResponse:
    """Make a team that nobody is in yet. A name that is taken is refused."""
    found = competition_to_write(request, competition)
    team = make_team(found, name_given(request), clock.now())
    return json_response({"competition": found.pk, "team": team.pk, "name": team.name})


@router.put("/competitions/{competition}/players/{player}/team", auth=WRITES, response=ParticipantOfTeam)
def change_team(request: HttpRequest, competition: WholeNumber = COMPETITION, player: str = PLAYER) -> HttpResponse:
    """Let a participant change teams, or leave theirs, until the competition starts."""
    found, name, choice = competition_to_write(request, competition), read_player(player), team_wanted(request)
    row = Player.objects.filter(external_id=name).first()
    if row is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=name))
    participant = choose_team(found, row, choice, clock.now())
    return json_response({"competition": found.pk, "player": name, "team": participant.team_id})


def _with_teams(competition: Competition) -> Competition:
    if not competition.has_teams:
        raise NoTeams(Message("This competition has no teams."))
    return competition


def _member_json(member: Member) -> dict[str, Any]:
    row = member.row
    fields = None if row is None else row.fields
    value = {"points": None if row is None else row.points} if fields is None else {"fields": fields}
    rank = None if row is None else row.rank
    return {"player": member.player, "name": member.name, "rank": rank, **value, "counts": member.counts}


def _csv(competition: Competition, rows: list[TeamRow], raw: bool) -> bytes:
    columns = [field.name for field in competition.board.rules.fields]
    cell, file = raw_cell if raw else safe_cell, io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(["rank", "team", "name", *(columns or ["points"]), "members", "counted", "tied"])
    for row in rows:
        values = [(row.fields or {}).get(name, "") for name in columns] or [_points(row)]
        writer.writerow([row.rank, row.team, cell(row.name), *values, row.members, row.counted, row.tied])
    return file.getvalue().encode()


def _points(row: TeamRow) -> str:
    return "" if row.points is None else f"{Decimal(row.points):f}"


def _download(request: HttpRequest, competition: Competition, body: bytes, as_of: datetime) -> HttpResponse:
    tag = etag_digest(body)
    response = not_modified(request, tag)
    if response is None:
        response = HttpResponse(body, content_type=CSV)
        response["Content-Disposition"] = f'attachment; filename="competition-{competition.pk}-teams.csv"'
    response["As-Of"] = when(as_of)
    return with_etag(response, tag, is_private(competition))
