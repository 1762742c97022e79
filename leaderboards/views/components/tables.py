"""The template context of a page of rows, and of the viewer's card and neighbours."""

from typing import Any

from leaderboards import selectors
from leaderboards.models import ACTIVE_STATES, Storage
from leaderboards.selectors import BoardPage, Movement, Standings
from leaderboards.stores.dynamodb import reads
from leaderboards.views.components.reasons import reasons
from leaderboards.views.components.table_rows import columns, gap_ahead, gap_behind, in_columns, lines, result
from leaderboards.views.http.responses import ROWS, pages_of
from leaderboards.views.http.viewer import Viewer


def table(page: BoardPage, viewer: Viewer, number: int, movement: Movement | None = None) -> dict[str, Any]:
    """Return the context of page ``number``; ``movement`` holds the earlier ranks, if known."""
    standings = page.standings
    shown = lines(standings, standings.rows, viewer.player, movement)
    return {
        "columns": columns(standings),
        "lines": shown,
        "as_words": not standings.rules.of_points and not in_columns(standings.rules),
        "first": standings.rows and (number - 1) * ROWS + 1,
        "last": (number - 1) * ROWS + len(standings.rows),
        "number": number,
        "pages": _pages(standings),
        "has_moves": any(line.move for line in shown),
        "moved_since": movement and movement.since,
        "has_gaps": any(line.gap for line in shown),
    }


def viewer_card(page: BoardPage, zone: str = "") -> dict[str, Any]:
    """Return the context of the viewer's card; times are in ``zone``, or the board's zone if it is empty."""
    me, standings, board = page.me, page.standings, page.standings.board
    if me is None:
        return {"me": None, "around": []}
    on_page = any(row.player == me.player for row in standings.rows)
    # If all neighbours share the viewer's rank, the page may show another rank, provided that the viewer is on it.
    in_sight = (page.neighbours, standings.rows) if on_page else (page.neighbours,)
    ahead = next(filter(None, (gap_ahead(board, me, seen) for seen in in_sight)), None)
    return {
        "me": me,
        "my_result": result(board, me),
        "my_page": (me.ahead or 0) // ROWS + 1,
        "reasons": reasons(standings, me, page.neighbours, ahead, zone or board.timezone),
        "gap_ahead": ahead,
        "gap_behind": next(filter(None, (gap_behind(board, me, seen) for seen in in_sight)), None),
        "percentile": selectors.share_below(me, standings.total),
        "on_page": on_page,
        "my_line": lines(standings, [me], me.player)[0],
        "around": lines(standings, page.neighbours, me.player),
    }


def _pages(standings: Standings) -> int:
    """Return the number of pages that are read by number; in DynamoDB they end where ranks end."""
    is_there = standings.board.storage == Storage.DYNAMODB and standings.period.state in ACTIVE_STATES
    return pages_of(min(standings.total, reads.MOST_RANKED) if is_there else standings.total, ROWS)
