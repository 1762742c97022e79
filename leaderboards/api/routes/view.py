"""Several reads in one request: a page, a player with their neighbours, and other players.

All parts come from one moment, in one round trip; each is what its own address would return then. A player who is not
ranked is no error here: a game shows them the list too.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Query

from foundation.http.encoding import Encoded
from foundation.http.problems import BadRequest
from leaderboards import selectors
from leaderboards.api.http.access import OptionalKey, is_private, may_lag, read_standings_of
from leaderboards.api.http.paging import PageAsked, Paging, cursors
from leaderboards.api.http.parameters import (
    ALSO,
    METADATA,
    PERIOD,
    RADIUS,
    SEQ,
    VIEWER,
    Bounded,
    WholeNumber,
    players_named,
)
from leaderboards.api.http.responses import etag_response
from leaderboards.api.openapi.schemas import ViewOfBoard
from leaderboards.api.routes.standings import standings_header_json
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer
from leaderboards.selectors import BoardPage
from leaderboards.selectors.rankings.encoded_pages import EncodedView, view_encoded
from leaderboards.selectors.rankings.lagging import reading_from_replicas
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.stores.base import Around, ForPlayers

router = Router(tags=["standings"], auth=OptionalKey())


class Wanted(PageAsked):
    """The query parameters, apart from board and period."""

    player: str | None = VIEWER
    radius: Bounded = RADIUS
    ids: list[str] = ALSO
    metadata: bool = METADATA

    def others(self) -> tuple[Around | None, ForPlayers]:
        """The player with their neighbours, and the players named. Raises ``BadRequest``."""
        if self.player is None and "radius" in self.model_fields_set:
            detail = "`radius` is of the neighbours of `player`: name one, or leave `radius` out."
            raise BadRequest(detail, [{"parameter": "radius", "detail": detail}])
        beside = None if self.player is None else Around(_viewer(self.player), self.radius)
        named = ForPlayers(tuple(players_named(self.ids))) if self.ids else selectors.NO_PLAYERS
        return beside, named


def _viewer(player: str) -> str:
    """The player, refused as every parameter is, so that a bad `player` and bad `ids` read alike."""
    try:
        return read_player(player)
    except BadPlayer as error:
        raise BadRequest(error.detail, [{"parameter": "player", "detail": error.detail}]) from error


WANTED = Query(...)


@router.get("/boards/{seq}/view", response=ViewOfBoard, by_alias=True)
def read_view(
    request: HttpRequest, seq: WholeNumber = SEQ, period: str = PERIOD, wanted: Wanted = WANTED
) -> HttpResponse:
    """A page, a player among their neighbours, and others by name: all of one moment."""
    paging, others = wanted.of(request, f"b{seq}"), wanted.others()
    label = paging.period(period)
    with reading_metadata(wanted.metadata), reading_from_replicas(may_lag(request)):
        board, found = read_standings_of(request, seq, lambda board: view_encoded(board, label, paging.page, *others))
    content = view_json(wanted, found, paging, found.standings.period.label)
    return etag_response(request, content, is_private(board))


def view_json(wanted: Wanted, found: BoardPage | EncodedView, paging: Paging, label: str = "") -> dict[str, Any]:
    """The parts with board, period and time; a part that was not requested, or a player without rank, is null.

    Cursors are of the period ``label``.
    """
    shown = found.standings
    ends = paging.cursors(shown.ends, label) | cursors(paging.scope, found.around_ends, label, "around_")
    return (
        standings_header_json(shown)
        | ends
        | {
            "list": shown.rows if isinstance(shown.rows, Encoded) else [row_json(row) for row in shown.rows],
            "me": found.me and row_json(found.me) | {"percentile": selectors.share_below(found.me, shown.total)},
            "around": None if wanted.player is None else [row_json(row) for row in found.neighbours],
            "named": [row_json(row) for row in found.named] if wanted.ids else None,
        }
    )
