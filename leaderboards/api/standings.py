"""Reading a board's standings: a page, a player, those around them, several by name, the spread."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.encoding import Passing, when, when_or_none
from leaderboards import selectors
from leaderboards.api.access import Reads, Writes, is_private, read_standings_of, standings_to_read, standings_to_write
from leaderboards.api.answers import conditional
from leaderboards.api.parameters import IDS, LIMIT, OFFSET, PERIOD, PLAYER, RADIUS, SEQ, Bounded, Whole, players_named
from leaderboards.api.schemas import RowOfPlayer, Spread, StandingsOfPeriod
from leaderboards.core.entries import read_player
from leaderboards.selectors import PeriodShown, Standings
from leaderboards.selectors.encoded import EncodedPage, page_encoded
from leaderboards.selectors.rows import row_shown
from leaderboards.services.remove import remove_player

router = Router(tags=["standings"], auth=Reads())


@router.get("/boards/{seq}/standings", response=StandingsOfPeriod)
def read_standings(
    request: HttpRequest, seq: Whole = SEQ, period: str = PERIOD, offset: Bounded = OFFSET, limit: Bounded = LIMIT
) -> HttpResponse:
    """A page of a board's rows, best first."""
    board, found = read_standings_of(request, seq, lambda board: page_encoded(board, period, offset, limit))
    return conditional(request, frame_shown(found) | {"rows": found.rows}, is_private(board))


@router.get("/boards/{seq}/players", response=StandingsOfPeriod)
def read_named_players(
    request: HttpRequest, seq: Whole = SEQ, ids: list[str] = IDS, period: str = PERIOD
) -> HttpResponse:
    """Up to 100 players by name, best first, with their rank in the whole board."""
    board, found = read_standings_of(request, seq, lambda board: selectors.named(board, players_named(ids), period))
    return conditional(request, standings_shown(found), is_private(board))


@router.get("/boards/{seq}/players/{player}", response=RowOfPlayer)
def read_player_row(request: HttpRequest, seq: Whole = SEQ, player: str = PLAYER, period: str = PERIOD) -> HttpResponse:
    """One player's row."""
    board, found = read_standings_of(
        request, seq, lambda board: selectors.player_row(board, read_player(player), period)
    )
    content = row_shown(found.row) | {
        "percentile": found.percentile,
        "total": found.total,
        "board": board.seq,
        "period": period_shown(found.period),
        "as_of": Passing(when(found.as_of)),
        "live": found.live,
    }
    return conditional(request, content, is_private(board))


@router.delete("/boards/{seq}/players/{player}", auth=Writes("scores:write"), response={204: None})
def delete_player(request: HttpRequest, seq: Whole = SEQ, player: str = PLAYER) -> HttpResponse:
    """Take a player out of the current period."""
    remove_player(standings_to_write(request, seq), read_player(player), clock.now())
    response = HttpResponse(status=204)
    del response["Content-Type"]
    return response


@router.get("/boards/{seq}/players/{player}/around", response=StandingsOfPeriod)
def read_around(
    request: HttpRequest, seq: Whole = SEQ, player: str = PLAYER, radius: Bounded = RADIUS, period: str = PERIOD
) -> HttpResponse:
    """A player and those next to them."""
    board, found = read_standings_of(
        request, seq, lambda board: selectors.around(board, read_player(player), radius, period)
    )
    return conditional(request, standings_shown(found), is_private(board))


@router.get("/boards/{seq}/distribution", response=Spread, by_alias=True)
def read_distribution(request: HttpRequest, seq: Whole = SEQ, period: str = PERIOD) -> HttpResponse:
    """How points are spread: percentiles and a histogram."""
    board = standings_to_read(request, seq)
    found = selectors.distribution(board, period)
    content = {
        "total": found.total,
        "as_of": Passing(when(found.as_of)),
        "live": found.live,
        "percentiles": found.percentiles,
        "histogram": [{"from": each.from_, "to": each.to, "count": each.count} for each in found.histogram],
    }
    return conditional(request, content, is_private(board))


def standings_shown(found: Standings) -> dict[str, Any]:
    """Rows with their board, period and moment."""
    return frame_shown(found) | {"rows": [row_shown(row) for row in found.rows]}


def frame_shown(found: Standings | EncodedPage) -> dict[str, Any]:
    """What stands around rows: their board, period and moment, and how many there are in all."""
    return {
        "board": found.board.seq,
        "period": period_shown(found.period),
        "total": found.total,
        "as_of": Passing(when(found.as_of)),
        "live": found.live,
    }


def period_shown(period: PeriodShown) -> dict[str, Any]:
    """A period; all time has neither start nor end."""
    return {
        "label": period.label,
        "starts_at": when_or_none(period.starts_at),
        "ends_at": when_or_none(period.ends_at),
        "state": period.state,
    }
