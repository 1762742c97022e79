"""A board on a big screen (``?screen=1``): ten large rows, followed by the next ten after some seconds.

A script loads the next page, and the space bar pauses it. Without scripts a refresh header does the same.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.table_rows import columns, lines
from leaderboards.views.http.responses import page_number, pages_of, private

ROWS = 10
MAX_PAGES = 5
EVERY_SECONDS = 12


def screen(request: HttpRequest, board: Board, label: str) -> HttpResponse:
    """Show ten of the best fifty rows. Raises ``UnknownPeriod`` or ``Http404``."""
    number = min(page_number(request), MAX_PAGES)
    standings = selectors.standings(board, label, (number - 1) * ROWS, ROWS)
    pages = min(MAX_PAGES, pages_of(standings.total, ROWS))
    context: dict[str, Any] = {
        "board": board,
        "standings": standings,
        "period": period_words(board, standings.period, standings.as_of),
        "columns": columns(standings),
        "lines": lines(standings, standings.rows, None),
        "number": number,
        "pages": pages,
        "following": number % pages + 1,
        "every": EVERY_SECONDS,
    }
    return private(render(request, "leaderboards/screen.html", context))
