"""The first page: the boards that run, each with its leader; what else runs or ends soon comes from the apps above."""

from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from foundation import clock
from leaderboards import formats, selectors
from leaderboards.models import Board
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.table_rows import result
from leaderboards.views.http.micro_cache import micro_cached
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import etag_of, etag_parts, page_response
from leaderboards.views.http.viewer import viewer_of

BOARDS_A_PAGE = 24
LIST_EVERY_SECONDS = 10


@require_safe
@micro_cached
def home(request: HttpRequest) -> HttpResponse:
    """The public boards, each with its leader; for those who may see them the private ones too."""
    at = clock.now()
    boards = selectors.boards_listed(include_private=may_see(request, Board))
    viewer = viewer_of(request)
    page = Paginator([board for board in boards if not _is_over(board, at)], BOARDS_A_PAGE).get_page(
        request.GET.get("page")
    )
    with viewing_as(viewer.player if viewer.linked else None):
        listed = [_listed(board, at) for board in page.object_list]
    seen = [(board["board"].seq, board["standings"] and etag_parts(board["standings"])) for board in listed]
    context = {"page": page, "listed": listed, "every": LIST_EVERY_SECONDS, "at": at}
    return page_response(request, "leaderboards/home", context, etag_of(seen, page.number))


def _is_over(board: Board, at: datetime) -> bool:
    return board.retired_at is not None and board.retired_at <= at


def _listed(board: Board, at: datetime) -> dict[str, Any]:
    if board.is_event:
        return {"board": board, "standings": None, "period": {"name": formats.period_name(board, True)}}
    found = selectors.standings(board, limit=1)
    leader = found.rows[0] if found.rows else None
    return {
        "board": board,
        "standings": found,
        "leader": leader,
        "leader_result": leader and result(board, leader),
        "period": period_words(board, found.period, at),
    }
