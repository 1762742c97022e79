"""Check whether a visitor may see a board."""

from django.http import Http404, HttpRequest

from leaderboards import selectors
from leaderboards.models import Board, Visibility
from leaderboards.views.http.permissions import may_see


def visible_board(request: HttpRequest, seq: int) -> Board:
    """Return the board if this visitor may see it. Raises ``UnknownBoard`` or ``Http404``."""
    board = selectors.board_by_seq(seq)
    require_board_access(request, board)
    return board


def require_board_access(request: HttpRequest, board: Board) -> None:
    """Raise ``Http404`` if the board is private and the visitor may not see boards in the admin."""
    if board.visibility == Visibility.PRIVATE and not may_see(request, Board):
        raise Http404(f"There is no board {board.seq}.")
