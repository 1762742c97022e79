"""The home page, which lists the running boards with their best rows, and the page of all boards.

The other parts of the home page, such as running competitions, are registered by other apps (``other_apps.py``).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from foundation import clock
from leaderboards import formats, selectors
from leaderboards.models import Board, Visibility
from leaderboards.selectors import Row
from leaderboards.selectors.rankings.lagging import reading_from_replicas
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.components.other_apps import HomePart, home_parts
from leaderboards.views.components.own_places import OwnHome, own_home
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.preview import list_preview
from leaderboards.views.components.table_rows import Line, lines, result
from leaderboards.views.http.micro_cache import is_anonymous_read, micro_cached
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import etag_of, etag_parts, page_response
from leaderboards.views.http.viewer import Viewer, viewer_of

BOARDS_A_PAGE = 24
TOP_ROWS = 3  # on the card of a board
LIST_EVERY_SECONDS = 10


@require_safe
@micro_cached
def home(request: HttpRequest) -> HttpResponse:
    """Show the public boards with their best rows; also the private ones to staff who may see them."""
    with reading_from_replicas(is_anonymous_read(request)):
        return _listing(request, is_home=True)


@require_safe
@micro_cached
def boards(request: HttpRequest) -> HttpResponse:
    """Show the same boards without the other parts of the home page."""
    with reading_from_replicas(is_anonymous_read(request)):
        return _listing(request, is_home=False)


def _listing(request: HttpRequest, *, is_home: bool) -> HttpResponse:
    at = clock.now()
    known = selectors.boards_listed(include_private=may_see(request, Board))
    viewer = viewer_of(request)
    page = Paginator([board for board in known if not _is_over(board, at)], BOARDS_A_PAGE).get_page(
        request.GET.get("page")
    )
    parts = home_parts(request) if is_home else []
    with viewing_as(viewer.player if viewer.linked else None):
        listed = [_listed(board, at, viewer) for board in page.object_list]
        mine = _own_home(listed, parts, at) if is_home else OwnHome()
    seen = [
        (board["board"].seq, board["standings"] and etag_parts(board["standings"]), board["period"].get("opens_at"))
        for board in listed
    ]
    context = {
        "page": page,
        "listed": listed,
        "every": LIST_EVERY_SECONDS,
        "at": at,
        "is_home": is_home,
        "mine": mine,
        "parts": parts,
        "preview": list_preview(
            _("Leaderboards") if is_home else _("Boards"),
            [board.name for board in page.object_list if board.visibility == Visibility.PUBLIC],
        ),
    }
    return page_response(
        request, "leaderboards/home", context, etag_of(seen, page.number, mine, [part.seen for part in parts])
    )


def _own_home(listed: Sequence[dict[str, Any]], parts: Sequence[HomePart], at: datetime) -> OwnHome:
    """Return the part about the viewer; the best places come first, in the order of boards where equal."""
    pages = [each["own_page"] for each in listed if "own_page" in each]
    coming = [each for part in parts for each in part.coming]
    return own_home(pages, coming, [each for part in parts for each in part.news], at)


def _is_over(board: Board, at: datetime) -> bool:
    return board.retired_at is not None and board.retired_at <= at


def _listed(board: Board, at: datetime, viewer: Viewer) -> dict[str, Any]:
    if board.is_event:
        return {"board": board, "standings": None, "period": {"name": formats.period_name(board, True)}}
    page = selectors.board_page(board, selectors.CURRENT, 0, TOP_ROWS, viewer.player if viewer.linked else None)
    standings = page.standings
    shown = lines(standings, standings.rows, None)
    return {
        "board": board,
        "standings": standings,
        "best": [(line, _score_text(board, line, row)) for line, row in zip(shown, standings.rows, strict=True)],
        "period": period_words(board, standings.period, at),
        "own_page": page,
    }


def _score_text(board: Board, line: Line, row: Row) -> str:
    """Return the score that a card shows: points with their unit, or the first of several criteria."""
    return line.cells[0] if len(line.cells) > 1 else result(board, row)
