"""A board's league, and a player in their group; as public as the board's standings."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.schemas.leagues import LeagueOfBoard, LeagueOfPlayer
from competitions.models import League
from competitions.selectors.leagues import GroupRow, LeagueStanding, league_of, league_standing_of, season_of
from foundation.http.encoding import Volatile, when, when_or_none
from leaderboards.api.http.access import OptionalKey, board_to_read, is_private, standings_to_read
from leaderboards.api.http.parameters import METADATA, PERIOD, PLAYER, SEQ, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.routes.standings import period_json
from leaderboards.core.input.entries import read_player
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.selectors.rankings.row_json import row_json

router = Router(tags=["leagues"], auth=OptionalKey())


@router.get("/boards/{seq}/league", response=LeagueOfBoard)
def read_league(request: HttpRequest, seq: WholeNumber = SEQ) -> HttpResponse:
    """A board's league as its next period will have it: tiers, the size of a group, how many move."""
    board = board_to_read(request, seq)
    return etag_response(request, _league_json(league_of(board)), is_private(board))


@router.get("/boards/{seq}/players/{player}/league", response=LeagueOfPlayer)
def read_league_of_player(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    player: str = PLAYER,
    period: str = PERIOD,
    metadata: bool = METADATA,
) -> HttpResponse:
    """A player's tier and group, with the places in it and what each comes to."""
    board = standings_to_read(request, seq)
    with reading_metadata(metadata):
        found = league_standing_of(board, season_of(board, period), read_player(player))
    return etag_response(request, _standing_json(found), is_private(board))


def _league_json(league: League) -> dict[str, Any]:
    return {
        "board": league.board_id,
        "tiers": list(league.tiers.order_by("position").values_list("name", flat=True)),
        "group_size": league.group_size,
        "promoted": league.promoted,
        "demoted": league.demoted,
    }


def _standing_json(found: LeagueStanding) -> dict[str, Any]:
    season, standings = found.season, found.standings
    return {
        "board": season.period.board_id,
        "period": period_json(standings.period),
        "tier": found.tier,
        "tier_name": found.tier_name,
        "tiers": season.tiers,
        "group_size": season.group_size,
        "promoted": season.promoted,
        "demoted": season.demoted,
        "turned_at": when_or_none(season.turned_at),
        "as_of": Volatile(when(standings.as_of)),
        "live": standings.live,
        "group": found.group and found.group.number,
        "place": found.me and found.me.place,
        "outcome": found.me and found.me.outcome,
        "rows": [_row_json(each) for each in found.rows],
    }


def _row_json(found: GroupRow) -> dict[str, Any]:
    """Return a row; ``rank`` is the one on the whole board, ``place`` the one in the group."""
    in_group = {"place": found.place, "sharing": found.tied, "outcome": found.outcome}
    return row_json(found.row) | in_group
