"""A row of standings as answers and stored results hold it: one shape, wherever it is written."""

from typing import Any

from foundation.http.encoding import when
from leaderboards.selectors.rankings.standings import Row


def row_json(row: Row) -> dict[str, Any]:
    """A row: ``points``, or ``fields`` on boards with criteria; ``achieved_at`` where the board keeps it."""
    shown: dict[str, Any] = {"rank": row.rank, "player": row.player, "name": row.name}
    if row.points is not None:
        shown["points"] = row.points
    if row.fields is not None:
        shown["fields"] = row.fields
    if row.achieved_at is not None:
        shown["achieved_at"] = when(row.achieved_at)
    shown["tied"] = row.tied
    return shown
