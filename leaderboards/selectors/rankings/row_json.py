"""The JSON form of a row of standings, in API answers and in stored results."""

from typing import Any

from foundation.http.encoding import Encoded, when
from leaderboards.selectors.rankings.standings import Row


def row_json(row: Row) -> dict[str, Any]:
    """Convert a row: ``points``, or ``fields`` on boards with criteria; ``achieved_at`` if the board keeps it.

    ``metadata`` if it was asked for and there is any.
    """
    json_row: dict[str, Any] = {"rank": row.rank, "player": row.player, "name": row.name}
    if row.points is not None:
        json_row["points"] = row.points
    if row.fields is not None:
        json_row["fields"] = row.fields
    if row.achieved_at is not None:
        json_row["achieved_at"] = when(row.achieved_at)
    json_row["tied"] = row.tied
    if row.metadata is not None:
        json_row["metadata"] = Encoded(row.metadata.encode(), row.metadata)
    return json_row
