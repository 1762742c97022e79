"""A participant's own result during a freeze: his points as they are now, and never his place."""

from datetime import datetime

from competitions.models import Competition
from competitions.selectors.standings import own_points
from leaderboards.selectors import Row
from leaderboards.views.lines import result
from leaderboards.views.viewer import Viewer


def own_result(competition: Competition, viewer: Viewer, at: datetime) -> str:
    """For a signed-in, linked player alone, and only while places are hidden; empty for everybody else."""
    if viewer.player is None or not viewer.linked or not competition.is_hidden(at):
        return ""
    found = own_points(competition, viewer.player, at)
    if found is None:
        return ""
    row = Row(None, viewer.player, viewer.player, found.points, found.fields, None, None, None)
    return result(competition.board, row)
