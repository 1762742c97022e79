"""One participant: their row and history, joining and leaving. Only game servers join and remove players."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import competition_to_read, competition_to_write, is_private, read_standings_of
from competitions.api.bodies import joining
from competitions.api.parameters import COMPETITION
from competitions.api.schemas.competitions import HistoryOfPlayer, Participation, RowOfParticipant
from competitions.errors import NotAParticipant
from competitions.models import Competition, Participant
from competitions.selectors.participants.participants import participant_of
from competitions.selectors.standings.history import history
from competitions.selectors.standings.standings import player_row, standings
from competitions.services.participants.join import join, leave
from foundation import clock
from foundation.http.encoding import Volatile, when
from foundation.messages import Message
from leaderboards.api.http.access import OptionalKey, RequireKey
from leaderboards.api.http.parameters import METADATA, PLAYER, WholeNumber
from leaderboards.api.http.responses import etag_response, json_response
from leaderboards.api.routes.standings import period_json
from leaderboards.core.input.entries import read_player
from leaderboards.errors import NotRanked
from leaderboards.models import Player
from leaderboards.selectors import PlayerRow, RankAtTime, Standings
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.services.players.profiles import ensure_player

WRITES = RequireKey("players:write")

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/players/{player}", response=RowOfParticipant)
def read_participant(
    request: HttpRequest,
    competition: WholeNumber = COMPETITION,
    player: str = PLAYER,
    metadata: bool = METADATA,
) -> HttpResponse:
    """One participant; without rank and points while they have no score that may be shown."""

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        name = read_player(player)
        try:
            return _row_of_player(found, player_row(found, name, at))
        except NotRanked:
            return _waiting(found, _participant(found, name), at)

    with reading_metadata(metadata):
        found, content = read_standings_of(request, competition, read)
    return etag_response(request, content, is_private(found))


@router.put("/competitions/{competition}/players/{player}", auth=WRITES, response=Participation)
def join_competition(
    request: HttpRequest, competition: WholeNumber = COMPETITION, player: str = PLAYER
) -> HttpResponse:
    """Let a player take part; an unknown one is made. Joining twice is refused."""
    found, name, (code, choice) = competition_to_write(request, competition), read_player(player), joining(request)
    at = clock.now()
    participant = join(found, ensure_player(name, at), at, code, choice)
    content = {
        "competition": found.pk,
        "player": name,
        "joined_at": when(participant.joined_at),
        "team": participant.team_id,
        "division": participant.division_id,
    }
    return json_response(content)


@router.delete("/competitions/{competition}/players/{player}", auth=WRITES, response={204: None})
def leave_competition(
    request: HttpRequest, competition: WholeNumber = COMPETITION, player: str = PLAYER
) -> HttpResponse:
    """Let a player go; their standing goes too."""
    found, name = competition_to_write(request, competition), read_player(player)
    row = Player.objects.filter(external_id=name).first()
    if row is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=name))
    leave(found, row, clock.now())
    response = HttpResponse(status=204)
    del response["Content-Type"]
    return response


@router.get("/competitions/{competition}/players/{player}/history", response=HistoryOfPlayer)
def read_history(request: HttpRequest, competition: WholeNumber = COMPETITION, player: str = PLAYER) -> HttpResponse:
    """A participant's places over time, from the snapshots; during a freeze those from before it."""
    found, at, name = competition_to_read(request, competition), clock.now(), read_player(player)
    try:
        player_row(found, name, at)
    except NotRanked:
        _participant(found, name)
    moments = history(found, name, at)
    content = {"total": len(moments), "rows": [_moment_shown(each) for each in moments]}
    return etag_response(request, content, is_private(found))


def _row_of_player(competition: Competition, found: PlayerRow) -> dict[str, Any]:
    place = {"status": "ranked", "percentile": found.percentile}
    return row_json(found.row) | place | _frame(competition, found)


def _waiting(competition: Competition, participant: Participant, at: datetime) -> dict[str, Any]:
    page = standings(competition, at, limit=1)
    return without_place(competition, participant, at) | _frame(competition, page)


def _frame(competition: Competition, found: PlayerRow | Standings) -> dict[str, Any]:
    """Return the fields around a row: its competition, period and time, and the total."""
    return {
        "total": found.total,
        "competition": competition.pk,
        "board": competition.board_id,
        "period": period_json(found.period),
        "as_of": Volatile(when(found.as_of)),
        "live": found.live,
    }


def without_place(competition: Competition, participant: Participant, at: datetime) -> dict[str, Any]:
    """Return the row of a participant without a visible place."""
    player = participant.player
    return {
        "rank": None,
        "player": player.external_id,
        "name": player.name or player.external_id,
        "points": None,
        "tied": None,
        "status": "hidden" if competition.is_hidden(at) else "not_started",
        "percentile": None,
    }


def _participant(competition: Competition, player: str) -> Participant:
    found = participant_of(competition, player)
    if found is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=player))
    return found


def _moment_shown(moment: RankAtTime) -> dict[str, Any]:
    value = {"points": moment.points} if moment.fields is None else {"fields": moment.fields}
    return {"at": when(moment.at), "rank": moment.rank, **value}
