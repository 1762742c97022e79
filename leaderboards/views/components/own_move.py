"""The change of rank of a viewer whose row is not on the shown page.

It is cached by the time of the snapshot that it is compared with. Snapshots do not change and are made every hour, so
one query an hour is enough for each viewer.
"""

from datetime import datetime

from leaderboards import selectors
from leaderboards.selectors import Movement, Row, Standings
from leaderboards.views.components.table_rows import Move, move_of

MAX_CACHED = 8192  # about 300 bytes each
_cache: dict[tuple[int, str, str, datetime | None], Movement] = {}


def own_move(standings: Standings, me: Row, since: datetime | None) -> Move | None:
    """Return the change since the last snapshot, made at ``since``; None if it is unknown."""
    if since is None or standings.board.is_event:
        return None
    key = standings.board.seq, standings.period.label, me.player, since
    movement = _cache.get(key)
    if movement is None:
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        movement = selectors.movement(standings.board, standings.period, [me.player])
        if movement.since == since:
            _cache[key] = movement
    return move_of(me, movement) if movement.since == since else None
