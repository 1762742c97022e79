"""Boards as the API shows them: all settings, and the running period.

``period`` is the running period here, while the setting of that name stands in ``settings``;
``docs/decisions/0003-a-boards-period-in-the-api.md`` tells why.
"""

from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from leaderboards import selectors
from leaderboards.api.access import Reads, board_to_read, is_private, may_list
from leaderboards.api.answers import conditional
from leaderboards.api.encoding import Passing, number, when_or_none
from leaderboards.api.parameters import NAME, SEQ, Whole
from leaderboards.api.schemas import BoardShown, BoardsListed
from leaderboards.api.standings import period_shown
from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS

router = Router(tags=["boards"], auth=Reads())


@router.get("/boards", response=BoardsListed)
def list_boards(request: HttpRequest, name: str | None = NAME) -> HttpResponse:
    """All boards that the caller may read, by number."""
    boards = [board for board in selectors.boards_listed(name, include_private=True) if may_list(request, board)]
    content = {"total": len(boards), "rows": [board_shown(board) for board in boards]}
    return conditional(request, content, private=any(is_private(board) for board in boards))


@router.get("/boards/{seq}", response=BoardShown)
def read_board(request: HttpRequest, seq: Whole = SEQ) -> HttpResponse:
    """One board."""
    board = board_to_read(request, seq)
    return conditional(request, board_shown(board), is_private(board))


def board_shown(board: Board) -> dict[str, Any]:
    """A board; ``period`` is the running one, null where competitions make the windows."""
    settings = {name: _setting(board, name) for name in SETTINGS}
    period, total = (None, 0) if board.is_event else _running(board)
    return {
        "seq": board.seq,
        **settings,
        "period": period,
        "total": total,
        "retired_at": when_or_none(board.retired_at),
        "settings": settings,
    }


def _running(board: Board) -> tuple[dict[str, Any], int]:
    found = selectors.standings(board, limit=1)
    left = found.period.seconds_left(found.as_of)
    return period_shown(found.period) | {"seconds_left": Passing(left)}, found.total


def _setting(board: Board, name: str) -> Any:
    value = getattr(board, name)
    return number(value) if isinstance(value, Decimal) else value
