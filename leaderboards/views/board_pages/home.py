"""The home page, which lists the running boards with their best rows, and the page of all boards.

The other parts of the home page, such as running competitions, are registered by other apps (``other_apps.py``).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from foundation import clock
from leaderboards import formats, selectors
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Board, Visibility
from leaderboards.selectors import Row
from leaderboards.selectors.rankings.lagging import reading_from_replicas
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.components.other_apps import HomeLead, HomePart, LeadRow, home_parts
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
LONGEST_WITH_UNIT = 7  # characters of points; a name beside longer ones needs the room of the unit
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
    lead = _lead(listed, parts) if is_home and not mine.places else None
    seen = [_seen(each) for each in listed]
    context = {
        "page": page,
        "listed": listed,
        "every": LIST_EVERY_SECONDS,
        "at": at,
        "is_home": is_home,
        "mine": mine,
        "lead": lead,
        "parts": [(part.template, part.beside_lead if lead and lead is part.lead else part.shown) for part in parts],
        "preview": list_preview(
            _("Leaderboards") if is_home else _("Boards"),
            [board.name for board in page.object_list if board.visibility == Visibility.PUBLIC],
        ),
    }
    return page_response(
        request, "leaderboards/home", context, etag_of(seen, page.number, mine, lead, [part.seen for part in parts])
    )


def _own_home(listed: Sequence[dict[str, Any]], parts: Sequence[HomePart], at: datetime) -> OwnHome:
    """Return the part about the viewer; the best places come first, in the order of boards where equal."""
    pages = [each["own_page"] for each in listed if "own_page" in each]
    coming = [each for part in parts for each in part.coming]
    return own_home(pages, coming, [each for part in parts for each in part.news], at)


def _lead(listed: Sequence[dict[str, Any]], parts: Sequence[HomePart]) -> HomeLead | None:
    """Return the race that leads the page: one of another app, else the running period that ends first."""
    of_parts = [part.lead for part in parts if part.lead]
    races = [each for each in listed if each.get("best") and each["period"]["seconds_left"] is not None]
    if of_parts or len(listed) < 2 or not races:  # one board alone is not told twice
        return of_parts[0] if of_parts else None
    first = min(races, key=lambda each: each["period"]["seconds_left"])
    board, total, period = first["board"], first["standings"].total, first["period"]
    number = formats.number(total)
    return HomeLead(
        board,
        board.name,
        reverse("board", args=[board.seq]),
        period["name"],
        ngettext("%(number)s player", "%(number)s players", total) % {"number": number},
        [LeadRow(line.player, line.name, line.rank, line.tied, score, line.country) for line, score in first["best"]],
        period["ends_at"],
        period["seconds_left"],
    )


def _is_over(board: Board, at: datetime) -> bool:
    return board.retired_at is not None and board.retired_at <= at


def _listed(board: Board, at: datetime, viewer: Viewer) -> dict[str, Any]:
    alone = {"board": board, "standings": None, "period": {"name": formats.period_name(board, True)}}
    if board.is_event:
        return alone
    try:
        page = selectors.board_page(board, selectors.CURRENT, 0, TOP_ROWS, viewer.player if viewer.linked else None)
    except StorageUnavailable:  # DynamoDB is away, and nothing answers in its place
        return alone | {"is_unreadable": True}
    standings = page.standings
    shown = lines(standings, standings.rows, None)
    return {
        "board": board,
        "standings": standings,
        "best": [(line, _score_text(board, line, row)) for line, row in zip(shown, standings.rows, strict=True)],
        "period": period_words(board, standings.period, at),
        "own_page": page,
    }


def _seen(card: dict[str, Any]) -> tuple[object, ...]:
    """Return what the page's ETag covers of a board."""
    standings, opens_at = card["standings"], card["period"].get("opens_at")
    return card["board"].seq, standings and etag_parts(standings), opens_at, "is_unreadable" in card


def _score_text(board: Board, line: Line, row: Row) -> str:
    """Return the score that a card shows: points, with their unit if short, or the first of several criteria."""
    is_alone = len(line.cells) > 1 or len(line.cells[0]) > LONGEST_WITH_UNIT
    return line.cells[0] if is_alone else result(board, row)
