"""The share menu of a board's page: of the board, of the viewer's row in it, or of another player's (``?row=``)."""

from contextlib import nullcontext

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Visibility
from leaderboards.selectors import PlayerRow
from leaderboards.views.board_pages.card import as_seen_by
from leaderboards.views.components.pictures import language_query
from leaderboards.views.components.preview import row_words
from leaderboards.views.components.share import ShareMenu, share_response, with_query
from leaderboards.views.http.access import visible_board
from leaderboards.views.http.viewer import Viewer, row_asked


@require_safe
def share_board(request: HttpRequest, seq: int) -> HttpResponse:
    """Offer ways to share a board. 404 for boards that competitions use: each competition has its own menu."""
    try:
        board = visible_board(request, seq)
        if board.is_event:
            raise Http404(f"Board {seq} counts in competitions: share the competition.")
        label = request.GET.get("period", "")
        selectors.standings(board, label or selectors.CURRENT, limit=0)  # refuses unknown periods
        return share_response(request, _menu(board, label, _shown_row(row_asked(request), board, label)))
    except NotFound as error:
        raise Http404(error.detail) from error


def _shown_row(viewer: Viewer, board: Board, label: str) -> PlayerRow | None:
    if viewer.player is None:
        return None
    with as_seen_by(viewer.player, board) if viewer.linked else nullcontext():
        try:
            return selectors.player_row(board, viewer.player, label or selectors.CURRENT)
        except NotRanked:
            return None


def _menu(board: Board, label: str, own: PlayerRow | None) -> ShareMenu:
    page, card = reverse("board", args=[board.seq]), reverse("board-card", args=[board.seq])
    player, is_private = own.row.player if own else None, board.visibility == Visibility.PRIVATE
    here = {"period": label}
    return ShareMenu(
        board=board,
        title=board.name,
        address=with_query(page, player=player, **here),
        picture="" if is_private else with_query(card, player=player, lang=language_query(), **here),
        player=own.row.name if own else "",
        words=row_words(board, own.row, own.total) if own else "",
        embed="" if is_private else with_query(page, embed="1", player=player, **here),
        screen=with_query(page, screen="1", **here),
        calendar=reverse("board-calendar", args=[board.seq]) if board.period != PeriodKind.ALL_TIME else "",
        find=with_query(page, **here) + "#find",
        is_private=is_private,
    )
