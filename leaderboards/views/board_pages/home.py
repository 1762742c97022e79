"""The first page: the boards that run, each with its best; what else runs or ends soon comes from the apps above. And
the page of all boards, which has the boards alone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from foundation import clock
from leaderboards import formats, selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.table_rows import Gap, Line, gap_ahead, gap_behind, lines, result
from leaderboards.views.http.micro_cache import micro_cached
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import etag_of, etag_parts, page_response
from leaderboards.views.http.viewer import Viewer, viewer_of

BOARDS_A_PAGE = 24
BEST = 3  # rows on the card of a board
OWN_PLACES = 4
LIST_EVERY_SECONDS = 10


@require_safe
@micro_cached
def home(request: HttpRequest) -> HttpResponse:
    """The public boards, each with its best; for those who may see them the private ones too."""
    return _listing(request, is_home=True)


@require_safe
@micro_cached
def boards(request: HttpRequest) -> HttpResponse:
    """The same without what else is on the first page."""
    return _listing(request, is_home=False)


def _listing(request: HttpRequest, *, is_home: bool) -> HttpResponse:
    at = clock.now()
    known = selectors.boards_listed(include_private=may_see(request, Board))
    viewer = viewer_of(request)
    page = Paginator([board for board in known if not _is_over(board, at)], BOARDS_A_PAGE).get_page(
        request.GET.get("page")
    )
    with viewing_as(viewer.player if viewer.linked else None):
        listed = [_listed(board, at, viewer) for board in page.object_list]
    mine = [each["mine"] for each in listed if is_home and each.get("mine")][:OWN_PLACES]
    seen = [(board["board"].seq, board["standings"] and etag_parts(board["standings"])) for board in listed]
    context = {"page": page, "listed": listed, "every": LIST_EVERY_SECONDS, "at": at, "is_home": is_home, "mine": mine}
    return page_response(request, "leaderboards/home", context, etag_of(seen, page.number, mine))


def _is_over(board: Board, at: datetime) -> bool:
    return board.retired_at is not None and board.retired_at <= at


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """Where the viewer stands on a board: the rank, with how many others, and how far from whom."""

    board: Board
    rank: int
    others: int
    gap: Gap | None
    result: str


def _own_place(page: BoardPage) -> OwnPlace | None:
    board, me = page.standings.board, page.me
    if me is None or me.rank is None:
        return None
    near = gap_behind if me.rank == 1 else gap_ahead
    return OwnPlace(board, me.rank, (me.tied or 1) - 1, near(board, me, page.neighbours), result(board, me))


def _listed(board: Board, at: datetime, viewer: Viewer) -> dict[str, Any]:
    if board.is_event:
        return {"board": board, "standings": None, "period": {"name": formats.period_name(board, True)}}
    seen = selectors.board_page(board, selectors.CURRENT, 0, BEST, viewer.player if viewer.linked else None)
    found = seen.standings
    shown = lines(found, found.rows, None)
    return {
        "board": board,
        "standings": found,
        "best": [(line, _figure(board, line, row)) for line, row in zip(shown, found.rows, strict=True)],
        "period": period_words(board, found.period, at),
        "mine": _own_place(seen),
    }


def _figure(board: Board, line: Line, row: Row) -> str:
    """What a card says of a row: points with their unit, or the first of several criteria."""
    return line.cells[0] if len(line.cells) > 1 else result(board, row)
