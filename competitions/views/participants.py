"""What SQL alone knows of those who take part: how many, who waits, and the viewer's own points.

During a freeze his own points are the player's as they are now; his place is never among them.
"""

from datetime import datetime
from typing import Any

from competitions.models import Competition
from competitions.selectors.changes import reason_of_cancelling
from competitions.selectors.competitions import participants_count
from competitions.selectors.participants import not_started, participant_of
from competitions.selectors.standings import own_points
from foundation.sql import SqlAway, ask
from leaderboards.selectors import BoardPage, Row
from leaderboards.views.lines import result
from leaderboards.views.viewer import Viewer

WAITING_SHOWN = 20


def known_of(competition: Competition, page: BoardPage, viewer: Viewer, at: datetime) -> dict[str, Any]:
    """All of it; while SQL is away nothing, and the page shows the standings alone."""
    try:
        return ask(lambda: _known_of(competition, page, viewer, at))
    except SqlAway:
        return {"participants": None}


def _known_of(competition: Competition, page: BoardPage, viewer: Viewer, at: datetime) -> dict[str, Any]:
    waiting = not_started(competition, at, limit=WAITING_SHOWN)
    return {
        "participants": participants_count(competition),
        "own": _own_result(competition, viewer, at),
        "takes_part": page.me is None and participant_of(competition, viewer.player or "") is not None,
        "reason": reason_of_cancelling(competition),
        "waiting": [(each.player.external_id, str(each.player)) for each in waiting.participants],
        "waiting_more": waiting.total - len(waiting.participants),
    }


def _own_result(competition: Competition, viewer: Viewer, at: datetime) -> str:
    """For a signed-in, linked player alone, and only while places are hidden; empty for everybody else."""
    if viewer.player is None or not viewer.linked or not competition.is_hidden(at):
        return ""
    found = own_points(competition, viewer.player, at)
    if found is None:
        return ""
    row = Row(None, viewer.player, viewer.player, found.points, found.fields, None, None, None)
    return result(competition.board, row)
