"""What the tables of a page show: a page of rows, and the viewer's own card with those around him."""

from typing import Any

from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.views.answers import ROWS
from leaderboards.views.lines import columns, gap_ahead, gap_behind, in_columns, lines, result
from leaderboards.views.viewer import Viewer


def table(board: Board, page: BoardPage, viewer: Viewer, number: int) -> dict[str, Any]:
    """The rows of page ``number``."""
    found = page.standings
    return {
        "columns": columns(board, found.rows),
        "lines": lines(board, found.rows, viewer.player),
        "as_words": bool(board.criteria) and not in_columns(board, [field.name for field in board.rules.fields]),
        "first": found.rows and (number - 1) * ROWS + 1,
        "last": (number - 1) * ROWS + len(found.rows),
        "number": number,
        "pages": max(1, -(-found.total // ROWS)),
    }


def mine(board: Board, page: BoardPage) -> dict[str, Any]:
    """What the viewer's own card says."""
    me, total = page.me, page.standings.total
    if me is None:
        return {"me": None, "around": []}
    rows = page.standings.rows
    on_page = any(row.player == me.player for row in rows)
    # Among many equals no neighbour has another rank; the page may then reach further, but only if I am on it.
    in_sight = (page.neighbours, rows) if on_page else (page.neighbours,)
    return {
        "me": me,
        "my_result": result(board, me),
        "gap_ahead": next(filter(None, (gap_ahead(board, me, seen) for seen in in_sight)), None),
        "gap_behind": next(filter(None, (gap_behind(board, me, seen) for seen in in_sight)), None),
        "percentile": selectors.share_below(me, total),
        "on_page": on_page,
        "around": lines(board, page.neighbours, me.player),
    }
