"""The list of a board's periods: the newest first, with their players, and the winners of those that are final."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.http.encoding import Volatile, when
from leaderboards.api.http.access import OptionalKey, is_private, standings_to_read
from leaderboards.api.http.paging import PAGE, PageAsked
from leaderboards.api.http.parameters import SEQ, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.openapi.schemas import PeriodsListed
from leaderboards.api.routes.standings import period_json
from leaderboards.selectors.history.period_list import ListedPeriod, Winner, period_page

router = Router(tags=["boards"], auth=OptionalKey())


@router.get("/boards/{seq}/periods", response=PeriodsListed)
def list_periods(request: HttpRequest, seq: WholeNumber = SEQ, page: PageAsked = PAGE) -> HttpResponse:
    """A page of a board's periods that have begun, the newest first."""
    paging = page.of(request, f"b{seq}/periods")
    board, at = standings_to_read(request, seq), clock.now()
    found = period_page(board, paging.page, at)
    content = {
        "board": board.seq,
        "total": found.total,
        "as_of": Volatile(when(at)),
        "rows": [_listed(row) for row in found.rows],
        **paging.cursors(found.ends),
    }
    return etag_response(request, content, is_private(board))


def _listed(row: ListedPeriod) -> dict[str, Any]:
    winners = None if row.winners is None else [_winner(each) for each in row.winners]
    return period_json(row.period) | {"players": row.players, "winners": winners}


def _winner(winner: Winner) -> dict[str, Any]:
    value = {"points": winner.points} if winner.fields is None else {"fields": winner.fields}
    return {"player": winner.player, "name": winner.name, **value}
