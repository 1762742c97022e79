"""Reading boards: all settings, and the running period with its rules.

``period`` is the running period here, while the setting of that name is in ``settings``;
``docs/decisions/0003-a-boards-period-in-the-api.md`` tells why. Changed rules apply from the next period on: until then
only ``settings`` has them.
"""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation.http.encoding import Volatile, number, when_or_none
from leaderboards import selectors
from leaderboards.api.http.access import OptionalKey, board_to_read, is_private, may_list
from leaderboards.api.http.paging import refuse_too_many_rows
from leaderboards.api.http.parameters import LISTED, NAME, OFFSET, SEQ, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.openapi.board_schemas import BoardShown, BoardsListed
from leaderboards.api.routes.standings import period_json
from leaderboards.core.input.points import points_number
from leaderboards.core.ranking.board_settings import RULE_SETTINGS
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors import RunningPeriodInfo
from leaderboards.services.boards import SETTINGS, schedule_settings_at

BOUNDS = ("minimum", "maximum", "total_maximum")  # scaled by the rules' own decimals

router = Router(tags=["boards"], auth=OptionalKey())


@router.get("/boards", response=BoardsListed)
def list_boards(
    request: HttpRequest, name: str | None = NAME, offset: Bounded = OFFSET, limit: Bounded = LISTED
) -> HttpResponse:
    """Boards that the caller may read, by number."""
    refuse_too_many_rows(request, limit)
    boards = [board for board in selectors.boards_listed(name, include_private=True) if may_list(request, board)]
    content = {"total": len(boards), "rows": boards_json(boards[offset : offset + limit])}
    return etag_response(request, content, private=any(is_private(board) for board in boards))


@router.get("/boards/{seq}", response=BoardShown)
def read_board(request: HttpRequest, seq: WholeNumber = SEQ) -> HttpResponse:
    """One board."""
    board = board_to_read(request, seq)
    return etag_response(request, boards_json([board])[0], is_private(board))


def boards_json(boards: Collection[Board]) -> list[dict[str, Any]]:
    """Boards; ``period`` is the running one, null where competitions make the windows."""
    running = selectors.running_periods(boards)
    return [_shown(board, running.get(board.seq)) for board in boards]


def _shown(board: Board, running: RunningPeriodInfo | None) -> dict[str, Any]:
    settings = {name: _setting(board, name) for name in SETTINGS}
    return {
        "seq": board.seq,
        **settings,
        **(_rules_apart(board, running.rules) | _apart(running) if running else {}),
        **(schedule_settings_at(board, running.as_of) if running else {}),
        "period": _period_shown(running) if running else None,
        "opens_at": when_or_none(running.opens_at) if running else None,
        "total": running.total if running else 0,
        "retired_at": when_or_none(board.retired_at),
        "settings": settings,
    }


def _apart(running: RunningPeriodInfo) -> dict[str, Any]:
    return {"partitions": running.partitions, "own_tables": running.own_tables}


def _rules_apart(board: Board, rules: Rules) -> dict[str, Any]:
    """Where the running period goes by other rules than the next one will: those that differ, as settings."""
    if rules == board.rules:
        return {}
    now, then = rules.to_json(), board.rules.to_json()
    return {name: _rule(rules, name, now[name]) for name in RULE_SETTINGS if now[name] != then[name] or name in BOUNDS}


def _rule(rules: Rules, name: str, value: Any) -> Any:
    return points_number(value, rules.decimals) if name in BOUNDS else value


def _period_shown(running: RunningPeriodInfo) -> dict[str, Any]:
    left = running.period.seconds_left(running.as_of)
    return period_json(running.period) | {"seconds_left": Volatile(left)}


def _setting(board: Board, name: str) -> Any:
    value = getattr(board, name)
    return number(value) if isinstance(value, Decimal) else value
