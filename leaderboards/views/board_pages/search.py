"""One field that finds a place: a rank, a player's id, or their name. The answer is an address on the same board.

The trap: a player's id may be a number. An id comes first, then a name, then a rank; then a name without its accents
and capitals, then the beginning of one.
"""

from urllib.parse import urlencode

from foundation.numbers import whole_number
from leaderboards import selectors
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer
from leaderboards.models import Board
from leaderboards.selectors import Row
from leaderboards.views.http.responses import LAST_PAGE, ROWS
from leaderboards.views.http.viewer import Viewer

LONGEST = 100


def find_on_board(board: Board, label: str, asked: str, viewer: Viewer) -> str | None:
    """Query and fragment of the address where it stands; None for no such place. Raises ``UnknownPeriod``."""
    period = {} if label == selectors.CURRENT else {"period": label}
    place = _number(asked)
    row = _player(board, label, asked) or (None if place else _alike(board, label, asked))
    if row is not None and not viewer.linked:
        return f"?{urlencode({**period, **_page(row.ahead), 'player': row.player})}#me"
    if row is not None:
        return f"?{urlencode({**period, **_page(row.ahead)})}#r{row.rank}"
    there = selectors.standings(board, label, place - 1, 1).rows if place else []
    return f"?{urlencode({**period, **_page(place - 1)})}#r{there[0].rank}" if there else None


def _player(board: Board, label: str, asked: str) -> Row | None:
    """The player of this id, else the best placed of this name."""
    try:
        ids = [read_player(asked), *selectors.players_called(asked)]
    except BadPlayer:
        ids = selectors.players_called(asked)
    rows = {row.player: row for row in selectors.rows_of_players(board, ids, label).rows} if ids else {}
    return rows.get(asked) or next(iter(rows.values()), None)


def _alike(board: Board, label: str, asked: str) -> Row | None:
    """Return the best row of the first players, by folded name or else by its prefix, who are ranked in the period."""
    found = (selectors.rows_of_players(board, ids, label).rows for ids in selectors.ids_alike_on_board(asked, board))
    return next((rows[0] for rows in found if rows), None)


def _page(above: int | None) -> dict[str, str]:
    """The page of a player who has so many above them; the first one needs no name."""
    number = (above or 0) // ROWS + 1
    return {} if number == 1 else {"page": str(number)}


def _number(asked: str) -> int:
    """A place from 1, or 0 for what is none. Where equals share ranks it is the row that counts."""
    number = whole_number(asked.replace(",", "").removeprefix("#")) or 0
    return number if number <= LAST_PAGE * ROWS else 0
