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
MOST_EQUALS = 200  # of so many who share a rank the row is found, of others the first row of the rank


def find_on_board(board: Board, label: str, asked: str, viewer: Viewer) -> str | None:
    """Query and fragment of the address where it stands; None for no such place. Raises ``UnknownPeriod``."""
    period = {} if label == selectors.CURRENT else {"period": label}
    place = _number(asked)
    row = _player(board, label, asked) or (None if place else _alike(board, label, asked))
    if row is not None:
        above = _above(board, label, row)
        if not viewer.linked:
            return f"?{urlencode({**period, **_page(above), 'player': row.player})}#me"
        return f"?{urlencode({**period, **_page(above)})}#{_anchor(row, above)}"
    there = selectors.standings(board, label, place - 1, 1).rows if place else []
    return f"?{urlencode({**period, **_page(place - 1)})}#{_anchor(there[0], place - 1)}" if there else None


def _above(board: Board, label: str, row: Row) -> int:
    """How many stand above the row: better ones, and the equals that are listed before it, as far as they are read."""
    better, tied = row.ahead or 0, row.tied or 1
    equals = selectors.standings(board, label, better, min(tied, MOST_EQUALS)).rows if tied > 1 else []
    return better + next((nth for nth, each in enumerate(equals) if each.player == row.player), 0)


def _anchor(row: Row, above: int) -> str:
    """The element of the row on its page (``components/row_html.py``)."""
    is_first = above == row.ahead or above % ROWS == 0
    return f"r{row.rank}" if is_first or (row.tied or 1) == 1 else f"n{above % ROWS + 1}"


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


def _page(above: int) -> dict[str, str]:
    """The page of a player who has so many above them; the first one needs no name."""
    number = above // ROWS + 1
    return {} if number == 1 else {"page": str(number)}


def _number(asked: str) -> int:
    """A place from 1, or 0 for what is none. Where equals share ranks it is the row that counts."""
    number = whole_number(asked.replace(",", "").removeprefix("#")) or 0
    return number if number <= LAST_PAGE * ROWS else 0
