"""What the tables of a page show: a page of rows, and the viewer's own card with those around him."""

from collections.abc import Mapping
from typing import Any

from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.views.answers import ROWS
from leaderboards.views.lines import columns, gap_ahead, gap_behind, in_columns, lines, result
from leaderboards.views.reasons import reasons
from leaderboards.views.viewer import Viewer


def table(
    board: Board, page: BoardPage, viewer: Viewer, number: int, before: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The rows of page ``number``; ``before`` are their ranks in the period before, where those are known."""
    found = page.standings
    shown = lines(board, found.rows, viewer.player, before)
    return {
        "columns": columns(board, found.rows),
        "lines": shown,
        "as_words": bool(board.criteria) and not in_columns(board, [field.name for field in board.rules.fields]),
        "first": found.rows and (number - 1) * ROWS + 1,
        "last": (number - 1) * ROWS + len(found.rows),
        "number": number,
        "pages": max(1, -(-found.total // ROWS)),
        "has_moves": any(line.move for line in shown),
        "has_gaps": any(line.gap for line in shown),
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
    ahead = next(filter(None, (gap_ahead(board, me, seen) for seen in in_sight)), None)
    return {
        "me": me,
        "my_result": result(board, me),
        "my_page": (me.ahead or 0) // ROWS + 1,
        "reasons": reasons(board, me, page.neighbours, ahead),
        "gap_ahead": ahead,
        "gap_behind": next(filter(None, (gap_behind(board, me, seen) for seen in in_sight)), None),
        "percentile": selectors.share_below(me, total),
        "on_page": on_page,
        "my_line": lines(board, [me], me.player)[0],
        "around": lines(board, page.neighbours, me.player),
    }
