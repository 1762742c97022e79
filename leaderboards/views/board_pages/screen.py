"""A board on a big screen (``?screen=1``): ten large rows that follow the scores, then the next ten after some seconds.

A script loads the next page, and the space bar pauses it. Without scripts a refresh header does the same.
"""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from leaderboards import selectors
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import Movement, Standings
from leaderboards.selectors.player_data.names import countries_of, picture_of
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.table_rows import columns, lines
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS
from leaderboards.views.http.responses import etag_of, etag_parts, page_number, page_response, pages_of

ROWS = 10
MAX_PAGES = 5
EVERY_SECONDS = 12


def screen(request: HttpRequest, board: Board, label: str) -> HttpResponse:
    """Show ten of the best fifty rows. Raises ``UnknownPeriod`` or ``Http404``."""
    standings = selectors.standings(board, label, (shown_page(request) - 1) * ROWS, ROWS)
    movement = selectors.movement(board, standings.period, [row.player for row in standings.rows])
    state = standings.period.state
    own = {
        "title": board.name,
        "zone": board.timezone,
        "period": period_words(board, standings.period, standings.as_of),
        "live": LIVE_EVERY_SECONDS if state in (PeriodState.OPEN, PeriodState.CLOSING) else 0,
    }
    return screen_response(request, standings, movement, own)


def shown_page(request: HttpRequest) -> int:
    """Return which ten are shown. Raises ``Http404``."""
    return min(page_number(request), MAX_PAGES)


def screen_response(
    request: HttpRequest, standings: Standings, movement: Movement | None, own: Mapping[str, Any]
) -> HttpResponse:
    """Return the screen of these rows, or its live parts.

    ``own`` has the title, the zone, the words of the period, and the seconds between two looks (``live``), 0 if nothing
    changes any more.
    """
    number, pages = shown_page(request), min(MAX_PAGES, pages_of(standings.total, ROWS))
    shown = lines(standings, standings.rows, None, movement)
    context: dict[str, Any] = {
        "board": standings.board,
        "standings": standings,
        "columns": columns(standings),
        "lines": shown,
        "has_moves": any(line.move for line in shown),
        "moved_since": movement.since if movement else None,
        "number": number,
        "pages": pages,
        "following": number % pages + 1,
        "every": EVERY_SECONDS,
        **own,
    }
    faces = [(row.player, picture_of(row.player)) for row in standings.rows]
    countries = countries_of(row.player for row in standings.rows)
    seen = (number, movement, faces, countries, own["title"], own["period"].get("name"), own["live"])
    return page_response(request, "leaderboards/screen", context, etag_of(etag_parts(standings), *seen))
