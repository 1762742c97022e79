"""The page of one board: one reading of the board for each answer, whole or in parts."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.models import Board, State
from leaderboards.selectors import BoardPage
from leaderboards.views.access import visible
from leaderboards.views.answers import LIVE_EVERY_SECONDS, ROWS, answer, etag_of, moving, page_number
from leaderboards.views.chart import chart
from leaderboards.views.finding import LONGEST, found_at
from leaderboards.views.frames import frameable
from leaderboards.views.lines import top_words
from leaderboards.views.periods import chips_of, period_words, running_words
from leaderboards.views.podium import podium
from leaderboards.views.rules_words import rules_sentences
from leaderboards.views.screen import screen
from leaderboards.views.second import kept_a_second
from leaderboards.views.spread import spread
from leaderboards.views.tables import mine, table
from leaderboards.views.viewer import Viewer, remember, viewer_of
from leaderboards.views.ways import Way, until_now, way_of

PERIODS_IN_STRIP = 4


@require_safe
@frameable
@kept_a_second
def board(request: HttpRequest, seq: int) -> HttpResponse:
    """A period of a board: the top or another page of it, and the viewer among his neighbours."""
    try:
        shown = visible(request, seq)  # first: whoever may see a private board must be known
        viewer = viewer_of(request)
        label = request.GET.get("period", "")
        if shown.is_event:
            return _event_board(request, shown, label)
        if "screen" in request.GET:
            return screen(request, shown, label or selectors.CURRENT)
        return _answer(request, shown, label or selectors.CURRENT, viewer)
    except NotFound as error:
        raise Http404(error.detail) from error


def _answer(request: HttpRequest, board: Board, label: str, viewer: Viewer) -> HttpResponse:
    asked = request.GET.get("find", "").strip()[:LONGEST]
    if asked and (address := found_at(board, label, asked, viewer)):
        return redirect(f"{request.path}{address}")
    number = page_number(request)
    page = selectors.board_page(board, label, (number - 1) * ROWS, ROWS, viewer.player)
    context, etag = _parts(board, page, number, viewer)
    if "fragment" in request.GET:
        return answer(request, "leaderboards/board", context, etag)
    context |= _once(board, page, label, viewer) | {"sought": asked}
    response = answer(request, "leaderboards/board", context, etag)
    remember(request, response, viewer)  # not with a part: a tab left open would undo what another one forgot
    return response


def _parts(board: Board, page: BoardPage, number: int, viewer: Viewer) -> tuple[dict[str, Any], str]:
    """What the moving parts show, and the ETag over it."""
    found = page.standings
    chips = chips_of(board, found.period, found.as_of)
    movement = selectors.movement(board, found.period, [row.player for row in found.rows])
    is_open = found.period.state in (State.OPEN, State.CLOSING)
    context = {
        "board": board,
        "viewer": viewer,
        "standings": found,
        "period": period_words(board, found.period, found.as_of),
        "chips": chips[:PERIODS_IN_STRIP],
        "earlier": chips[PERIODS_IN_STRIP:],
        **running_words(chips, found.as_of),
        "zone": board.timezone,
        "is_open": is_open,
        "every": LIVE_EVERY_SECONDS if is_open else 0,
        **table(page, viewer, number, movement),
        **mine(page),
    }
    context["podium"] = podium(context["lines"]) if number == 1 else []
    seen = (moving(found), page.me, page.neighbours, chips, movement, viewer.player, viewer.linked, viewer.refused)
    return context, etag_of(seen, number)


def _once(board: Board, page: BoardPage, label: str, viewer: Viewer) -> dict[str, Any]:
    """What a page shows besides its moving parts: rules, how points are spread, the viewer's way so far."""
    past = selectors.past_ranks(board, viewer.player) if viewer.player else []
    return {
        "site": settings.SITE_URL.rstrip("/"),
        "top_words": top_words(board, page.standings.rows),
        "rules": rules_sentences(board, page.standings.rules),
        "spread": spread(page.standings, label, page.me),
        "way": _way(page),
        "past": past[::-1],
        "chart": chart(past),
    }


def _way(page: BoardPage) -> Way | None:
    """The viewer's places in the period that is shown."""
    found, me = page.standings, page.me
    if me is None:
        return None
    kept = selectors.ways(me.player, [(found.board, found.period.label, found.rules)])
    return way_of(found.board, until_now(kept[found.board.seq], me, found))


def _event_board(request: HttpRequest, board: Board, label: str) -> HttpResponse:
    """Its standings are those of its competitions, which may hide them: no label opens them here."""
    if label:
        raise Http404(f"Board {board.seq} counts in competitions: use the competition.")
    return render(request, "leaderboards/event_board.html", {"board": board})
