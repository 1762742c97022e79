"""Boards as the API shows them: all settings, and the running period.

``period`` is the running period here, while the setting of that name stands in ``settings``;
``docs/decisions/0003-a-boards-period-in-the-api.md`` tells why.
"""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from leaderboards import selectors
from leaderboards.api.access import Reads, board_to_read, is_private, may_list
from leaderboards.api.answers import conditional
from leaderboards.api.encoding import Passing, number, when_or_none
from leaderboards.api.parameters import LISTED, NAME, OFFSET, SEQ, Whole
from leaderboards.api.schemas import BoardShown, BoardsListed
from leaderboards.api.standings import period_shown
from leaderboards.models import Board
from leaderboards.selectors import Running
from leaderboards.services.boards import SETTINGS

router = Router(tags=["boards"], auth=Reads())


@router.get("/boards", response=BoardsListed)
def list_boards(
    request: HttpRequest, name: str | None = NAME, offset: Whole = OFFSET, limit: Whole = LISTED
) -> HttpResponse:
    """Boards that the caller may read, by number."""
    boards = [board for board in selectors.boards_listed(name, include_private=True) if may_list(request, board)]
    content = {"total": len(boards), "rows": boards_shown(boards[offset : offset + limit])}
    return conditional(request, content, private=any(is_private(board) for board in boards))


@router.get("/boards/{seq}", response=BoardShown)
def read_board(request: HttpRequest, seq: Whole = SEQ) -> HttpResponse:
    """One board."""
    board = board_to_read(request, seq)
    return conditional(request, boards_shown([board])[0], is_private(board))


def boards_shown(boards: Collection[Board]) -> list[dict[str, Any]]:
    """Boards; ``period`` is the running one, null where competitions make the windows."""
    running = selectors.running_periods(boards)
    return [_shown(board, running.get(board.seq)) for board in boards]


def _shown(board: Board, running: Running | None) -> dict[str, Any]:
    settings = {name: _setting(board, name) for name in SETTINGS}
    return {
        "seq": board.seq,
        **settings,
        "period": _period_shown(running) if running else None,
        "total": running.total if running else 0,
        "retired_at": when_or_none(board.retired_at),
        "settings": settings,
    }


def _period_shown(running: Running) -> dict[str, Any]:
    left = running.period.seconds_left(running.as_of)
    return period_shown(running.period) | {"seconds_left": Passing(left)}


def _setting(board: Board, name: str) -> Any:
    value = getattr(board, name)
    return number(value) if isinstance(value, Decimal) else value
