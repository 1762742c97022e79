"""Reading a board's standings: a page, a player, their neighbours, several players, the distribution."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.http.encoding import Volatile, when, when_or_none
from leaderboards import selectors
from leaderboards.api.http.access import (
    OptionalKey,
    RequireKey,
    is_private,
    may_lag,
    read_standings_of,
    standings_to_read,
    standings_to_write,
)
from leaderboards.api.http.paging import PAGE, PageAsked, cursors
from leaderboards.api.http.parameters import (
    EXACT,
    IDS,
    METADATA,
    PERIOD,
    PLAYER,
    RADIUS,
    SEQ,
    Bounded,
    WholeNumber,
    players_named,
)
from leaderboards.api.http.recent import older_rows, recent_response
from leaderboards.api.http.responses import etag_response
from leaderboards.api.openapi.schemas import (
    PageOfPeriod,
    PercentileOfPlayer,
    RowOfPlayer,
    Spread,
    StandingsOfPeriod,
)
from leaderboards.core.input.entries import read_player
from leaderboards.selectors import PeriodInfo, PlayerPercentile, PlayerRow, Standings
from leaderboards.selectors.rankings.encoded_pages import EncodedPage, page_encoded
from leaderboards.selectors.rankings.lagging import reading_from_replicas
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.services.moderation.remove import remove_player

router = Router(tags=["standings"], auth=OptionalKey())


@router.get("/boards/{seq}/standings", response=PageOfPeriod)
def read_standings(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    period: str = PERIOD,
    metadata: bool = METADATA,
    page: PageAsked = PAGE,
) -> HttpResponse:
    """A page of a board's rows, best first; with `Cache-Control: max-age=1` it may be up to a second old."""
    asked = (seq, period, metadata, page.offset, page.limit, page.cursor)
    return recent_response(request, asked, lambda: _read_page(request, seq, period, metadata, page))


def _read_page(
    request: HttpRequest, seq: int, period: str, metadata: bool, page: PageAsked
) -> tuple[dict[str, Any], bool]:
    """The answer, and whether it is private."""
    paging = page.of(request, f"b{seq}")
    label = paging.period(period)
    with reading_metadata(metadata), reading_from_replicas(may_lag(request)):
        board, found = read_standings_of(request, seq, lambda board: page_encoded(board, label, paging.page))
    content = standings_header_json(found) | {"rows": found.rows} | paging.cursors(found.ends, found.period.label)
    return content, is_private(board)


@router.get("/boards/{seq}/players", response=StandingsOfPeriod)
def read_named_players(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    ids: list[str] = IDS,
    period: str = PERIOD,
    metadata: bool = METADATA,
) -> HttpResponse:
    """Up to 100 players by name, best first, with their rank in the whole board."""
    with reading_metadata(metadata), older_rows(request):
        board, found = read_standings_of(
            request, seq, lambda board: selectors.rows_of_players(board, players_named(ids), period)
        )
    return etag_response(request, standings_json(found), is_private(board))


@router.get("/boards/{seq}/players/{player}", response=RowOfPlayer)
def read_player_row(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    player: str = PLAYER,
    period: str = PERIOD,
    metadata: bool = METADATA,
) -> HttpResponse:
    """One player's row."""
    with reading_metadata(metadata), older_rows(request):
        board, found = read_standings_of(
            request, seq, lambda board: selectors.player_row(board, read_player(player), period)
        )
    content = row_json(found.row) | {
        "percentile": found.percentile,
        "board": board.seq,
        "period": period_json(found.period),
        "as_of": Volatile(when(found.as_of)),
        **completeness_json(found),
    }
    return etag_response(request, content, is_private(board))


@router.delete("/boards/{seq}/players/{player}", auth=RequireKey("scores:write"), response={204: None})
def delete_player(request: HttpRequest, seq: WholeNumber = SEQ, player: str = PLAYER) -> HttpResponse:
    """Take a player out of the current period."""
    remove_player(standings_to_write(request, seq), read_player(player), clock.now())
    response = HttpResponse(status=204)
    del response["Content-Type"]
    return response


@router.get("/boards/{seq}/players/{player}/around", response=PageOfPeriod)
def read_around(  # noqa: PLR0913, PLR0917 - one argument for each parameter of the URL
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    player: str = PLAYER,
    radius: Bounded = RADIUS,
    period: str = PERIOD,
    metadata: bool = METADATA,
) -> HttpResponse:
    """A player and those next to them; its cursors are for the board's standings."""
    with reading_metadata(metadata), older_rows(request):
        board, found = read_standings_of(
            request, seq, lambda board: selectors.around(board, read_player(player), radius, period)
        )
    content = standings_json(found) | cursors(f"b{seq}", found.ends, found.period.label)
    return etag_response(request, content, is_private(board))


@router.get("/boards/{seq}/players/{player}/percentile", response=PercentileOfPlayer)
def read_percentile(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    player: str = PLAYER,
    period: str = PERIOD,
    exact: bool = EXACT,
) -> HttpResponse:
    """Which best part of all players somebody belongs to: on boards of many players from a histogram of each minute."""
    board, found = read_standings_of(
        request, seq, lambda board: selectors.player_percentile(board, read_player(player), period, exact=exact)
    )
    shares = found.percentile
    content = {
        "player": found.player,
        "top": shares and shares.top,
        "percentile": shares and shares.percentile,
        "error": shares and shares.error,
        "exact": found.is_exact,
        "board": board.seq,
        "period": period_json(found.period),
        "as_of": Volatile(when(found.as_of)) if found.is_exact else when(found.as_of),
        **completeness_json(found),
    }
    return etag_response(request, content, is_private(board))


@router.get("/boards/{seq}/distribution", response=Spread, by_alias=True)
def read_distribution(
    request: HttpRequest, seq: WholeNumber = SEQ, period: str = PERIOD, exact: bool = EXACT
) -> HttpResponse:
    """How points are spread: percentiles and a histogram."""
    board = standings_to_read(request, seq)
    with reading_from_replicas(may_lag(request)):
        found = selectors.distribution(board, period, exact=exact)
    content: dict[str, Any] = {
        "total": found.total,
        "as_of": Volatile(when(found.as_of)) if found.error is None else when(found.as_of),
        "live": found.live,
        "percentiles": found.percentiles,
        "histogram": [{"from": each.from_, "to": each.to, "count": each.count} for each in found.histogram],
    }
    if found.error is not None:
        content["error"] = found.error
    return etag_response(request, content, is_private(board))


def standings_json(found: Standings) -> dict[str, Any]:
    """Rows with the fields around them."""
    return standings_header_json(found) | {"rows": [row_json(row) for row in found.rows]}


def standings_header_json(found: Standings | EncodedPage) -> dict[str, Any]:
    """The fields around rows: board, period, number of players, and time of reading."""
    return {
        "board": found.board.seq,
        "period": period_json(found.period),
        "as_of": Volatile(when(found.as_of)),
        **completeness_json(found),
    }


def completeness_json(found: Standings | EncodedPage | PlayerRow | PlayerPercentile) -> dict[str, Any]:
    """How many players there are, whether Redis has told, and if so, whether a part of the standings is missing."""
    if found.complete:
        return {"total": found.total, "live": found.live}
    return {"total": None, "live": False, "complete": False}


def period_json(period: PeriodInfo) -> dict[str, Any]:
    """A period; all time has neither start nor end."""
    return {
        "label": period.label,
        "starts_at": when_or_none(period.starts_at),
        "ends_at": when_or_none(period.ends_at),
        "state": period.state,
    }
