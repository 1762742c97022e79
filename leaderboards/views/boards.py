"""The list of boards and the page of one: one reading of the board for each answer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from foundation import clock
from foundation.errors import NotFound
from leaderboards import formats, selectors
from leaderboards.models import Board, State, Visibility
from leaderboards.selectors import PeriodShown
from leaderboards.views.answers import LIVE_EVERY_SECONDS, ROWS, answer, etag_of, is_staff, moving, page_number
from leaderboards.views.lines import result
from leaderboards.views.tables import mine, table
from leaderboards.views.viewer import Viewer, remember, viewer_of

BOARDS_A_PAGE = 24
PERIODS_IN_STRIP = 4
PERIODS_LISTED = 60
LIST_EVERY_SECONDS = 10


@dataclass(frozen=True, slots=True)
class PeriodChip:
    """A period in the strip."""

    label: str
    dates: str
    is_shown: bool
    is_running: bool


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The public boards, each with its leader; for staff the private ones too."""
    at = clock.now()
    boards = selectors.boards_listed(include_private=is_staff(request))
    page = Paginator([board for board in boards if not _is_over(board, at)], BOARDS_A_PAGE).get_page(
        request.GET.get("page")
    )
    listed = [_listed(board, at) for board in page.object_list]
    seen = [(board["board"].seq, board["standings"] and moving(board["standings"])) for board in listed]
    context = {"page": page, "listed": listed, "every": LIST_EVERY_SECONDS, "at": at}
    return answer(request, "leaderboards/home", context, etag_of(seen, page.number))


@require_safe
def board(request: HttpRequest, seq: int) -> HttpResponse:
    """A period of a board: the top or another page of it, and the viewer among his neighbours."""
    try:
        shown = _visible(request, seq)  # first: whoever may see a private board must be known
        viewer = viewer_of(request)
        label = request.GET.get("period", "")
        if shown.is_event:
            return _event_board(request, shown, label)
        context, etag = _board_page(shown, label or "current", page_number(request), viewer)
    except NotFound as error:
        raise Http404(error.detail) from error
    response = answer(request, "leaderboards/board", context, etag)
    if "fragment" not in request.GET:  # else a tab left open would undo what another one forgot
        remember(request, response, viewer)
    return response


def _board_page(board: Board, label: str, number: int, viewer: Viewer) -> tuple[dict[str, Any], str]:
    page = selectors.board_page(board, label, (number - 1) * ROWS, ROWS, viewer.player)
    found = page.standings
    chips = _chips(board, found.period, found.as_of)
    is_open = found.period.state in (State.OPEN, State.CLOSING)
    context = {
        "board": board,
        "viewer": viewer,
        "standings": found,
        "period": _period_words(board, found.period, found.as_of),
        "chips": chips[:PERIODS_IN_STRIP],
        "earlier": chips[PERIODS_IN_STRIP:],
        "zone": board.timezone,
        "is_open": is_open,
        "every": LIVE_EVERY_SECONDS if is_open else 0,
        **table(board, page, viewer, number),
        **mine(board, page),
    }
    seen = (moving(found), page.me, page.neighbours, chips, viewer.player, viewer.linked, viewer.refused)
    return context, etag_of(seen, number)


def _event_board(request: HttpRequest, board: Board, label: str) -> HttpResponse:
    """Its standings are those of its competitions, which may hide them: no label opens them here."""
    if label:
        raise Http404(f"Board {board.seq} counts in competitions: use the competition.")
    return render(request, "leaderboards/event_board.html", {"board": board})


def _visible(request: HttpRequest, seq: int) -> Board:
    """The board, if this visitor may know of it. Raises ``UnknownBoard`` or ``Http404``."""
    board = selectors.board_by_seq(seq)
    if board.visibility == Visibility.PRIVATE and not is_staff(request):
        raise Http404(f"There is no board {seq}.")
    return board


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
        "period": _period_words(board, found.period, at),
    }


def _period_words(board: Board, period: PeriodShown, at: datetime) -> dict[str, Any]:
    running = _is_running(period, at)
    return {
        "name": formats.period_name(board, running),
        "dates": formats.period_dates(board, period, at.astimezone(ZoneInfo(board.timezone)).date()),
        "label": period.label,
        "ends_at": period.ends_at,
        "seconds_left": period.seconds_left(at) if running else None,
        "is_running": running,
    }


def _is_running(period: PeriodShown, at: datetime) -> bool:
    return period.ends_at is None or at < period.ends_at


def _chips(board: Board, shown: PeriodShown, at: datetime) -> list[PeriodChip]:
    """The board's periods, latest first; the one that is shown is always among them."""
    periods = selectors.periods_listed(board, at, PERIODS_LISTED)
    if shown.label not in {period.label for period in periods}:
        periods = sorted([*periods, shown], key=lambda period: period.starts_at or at, reverse=True)
    today = at.astimezone(ZoneInfo(board.timezone)).date()
    return [
        PeriodChip(
            period.label,
            formats.period_dates(board, period, today) or formats.period_name(board, True),
            period.label == shown.label,
            _is_running(period, at),
        )
        for period in periods
    ]
