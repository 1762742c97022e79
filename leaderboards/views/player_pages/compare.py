"""Two players side by side on a board: ``/compare/?a=robin&b=mina&board=3``. The address says all, so it can be shared.

Without ``a`` it is the viewer, without ``board`` the first board that both are on; then the full address follows. The
trap: what a shadowed viewer sees of themselves is theirs alone, so the page is never cached.
"""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from foundation.numbers import whole_number
from leaderboards import selectors
from leaderboards.models import Board, Player
from leaderboards.selectors.visibility.restrictions import viewing_as, visible_q
from leaderboards.views.components.comparison import gap_text, head_to_head, lines_of, sides_of
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.http.access import visible_board
from leaderboards.views.http.responses import private
from leaderboards.views.http.viewer import viewer_of

LONGEST = 100


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Compare ``a`` with ``b`` on a board; ask with whom while only one is known. 404 for who is not shown."""
    viewer = viewer_of(request)
    first, second = request.GET.get("a", ""), request.GET.get("b", "")
    if not first and viewer.player and viewer.player != second:
        first = viewer.player
    with viewing_as(viewer.player if viewer.linked else None):
        known = [_shown(player) for player in (first, second) if player]
        board = _board(request)
        if len(known) < 2 or known[0] == known[1] or "with" in request.GET:
            return _ask_with_whom(request, known[0] if known else None, board)
        players = (known[0], known[1])
        board = board or _common_board(players)
        if board is not None and ("board" not in request.GET or "a" not in request.GET):
            return redirect(_address(first, second, board))
        return private(render(request, "leaderboards/compare.html", _context(request, players, board)))


def _context(request: HttpRequest, players: tuple[Player, Player], board: Board | None) -> dict[str, Any]:
    first, second = players
    context: dict[str, Any] = {
        "players": players,
        "board": board,
        "common": _boards_of_both(players),
        "link": request.build_absolute_uri(),
        "others": _address(first.external_id, "", board),
        "swapped": _address(second.external_id, first.external_id, board),
    }
    if board is None:
        return context
    ids = [each.external_id for each in players]
    try:
        standings = selectors.rows_of_players(board, ids, request.GET.get("period", selectors.CURRENT))
    except NotFound as error:
        raise Http404(error.detail) from error
    sides = sides_of(standings, players)
    return context | {
        "standings": standings,
        "period": period_words(board, standings.period, standings.as_of),
        "sides": sides,
        "gap": gap_text(standings),
        "is_level": len(standings.rows) == 2 and not any(side.is_ahead for side in sides),
        "ahead": next((side for side in sides if side.is_ahead), None),
        "lines": lines_of(standings, sides),
        "met": head_to_head(board, players),
    }


def _ask_with_whom(request: HttpRequest, one: Player | None, board: Board | None) -> HttpResponse:
    """Ask for the other player, by name or id; go there if somebody is found."""
    asked = request.GET.get("with", "").strip()[:LONGEST]
    found = [each for each in selectors.players_found(asked, 5) if each != one] if asked else []
    if found and one is not None:
        return redirect(_address(one.external_id, found[0].external_id, board))
    if found:
        return redirect(_address(found[0].external_id, "", board))
    context = {
        "one": one,
        "board": board,
        "asked": asked,
        "wrong": _("There is no player of this name or id.") if asked else "",
    }
    return private(render(request, "leaderboards/compare_with.html", context))


def _shown(player: str) -> Player:
    """Return the player if they are shown to who asks. Raises ``Http404``."""
    rows = Player.objects.filter(visible_q(None, ""), external_id=player) if "\0" not in player else None
    shown = rows.first() if rows is not None else None
    if shown is None:
        raise Http404("There is no such player.")
    return shown


def _board(request: HttpRequest) -> Board | None:
    """Return the board of the address. Raises ``Http404`` for one that is not shown, or that competitions use."""
    if "board" not in request.GET:
        return None
    try:
        board = visible_board(request, whole_number(request.GET["board"]) or 0)
    except NotFound as error:
        raise Http404(error.detail) from error
    if board.is_event:
        raise Http404(f"Board {board.seq} counts in competitions: players are compared on other boards.")
    return board


def _boards_of_both(players: tuple[Player, Player]) -> list[Board]:
    there = {board.seq for board in selectors.boards_of(players[1])}
    return [board for board in selectors.boards_of(players[0]) if board.seq in there]


def _common_board(players: tuple[Player, Player]) -> Board | None:
    return next(iter(_boards_of_both(players)), None)


def _address(first: str, second: str, board: Board | None) -> str:
    query = {"a": first, "b": second, "board": board.seq if board else ""}
    return f"{reverse('compare')}?{urlencode({name: value for name, value in query.items() if value})}"
