"""How a viewer has moved whose row is not on the page that they look at.

Kept by the moment of the look that it is told against: what was kept then does not change any more, so one statement
an hour is enough for each viewer.
"""

from datetime import datetime

from leaderboards import selectors
from leaderboards.selectors import Movement, Row, Standings
from leaderboards.views.components.table_rows import Move, move_of

MOST_KEPT = 8192  # of some 300 bytes each
_kept: dict[tuple[int, str, str, datetime | None], Movement] = {}


def own_move(found: Standings, me: Row, since: datetime | None) -> Move | None:
    """Against the last look, which was at ``since``; None where nothing is known of it."""
    if since is None or found.board.is_event:
        return None
    key = found.board.seq, found.period.label, me.player, since
    known = _kept.get(key)
    if known is None:
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        known = selectors.movement(found.board, found.period, [me.player])
        if known.since == since:
            _kept[key] = known
    return move_of(me, known) if known.since == since else None
