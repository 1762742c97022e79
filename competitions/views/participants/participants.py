"""Data about participants that only SQL has: their number, those without a score, the viewer's own points.

During a freeze players see their own current points, but never their place.
"""

from datetime import datetime
from typing import Any, NamedTuple

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Division, Participant
from competitions.selectors.changes import reason_of_cancelling
from competitions.selectors.competitions import participants_count
from competitions.selectors.participants.participants import not_started, participant_of
from competitions.selectors.standings.group_standings import group_standings
from competitions.selectors.standings.standings import own_points
from competitions.views.competition.words import heading_without_score
from foundation.db.resilience import SqlAway, ask
from leaderboards.selectors import BoardPage, Row
from leaderboards.views.components.table_rows import result
from leaderboards.views.http.viewer import Viewer

WAITING_SHOWN = 20


class OwnDivision(NamedTuple):
    """The viewer's division; ``rank`` is their rank in it, if any, and ``total`` the number of ranked players."""

    division: Division
    rank: int | None
    tied: bool
    total: int


def known_of(competition: Competition, page: BoardPage, viewer: Viewer, at: datetime) -> dict[str, Any]:
    """Return the template context. While SQL is unavailable the page shows the standings only."""
    try:
        return ask(lambda: _known_of(competition, page, viewer, at))
    except SqlAway:
        return {"participants": None}


def _known_of(competition: Competition, page: BoardPage, viewer: Viewer, at: datetime) -> dict[str, Any]:
    participant = participant_of(competition, viewer.player) if viewer.player else None
    waiting = not_started(competition, at, limit=WAITING_SHOWN)
    return {
        "participants": participants_count(competition),
        "own": _own_result(competition, viewer, at),
        "takes_part": page.me is None and participant is not None,
        "own_division": _own_division(competition, participant, viewer, at),
        "without_result": _without_result(competition, viewer, at),
        "reason": reason_of_cancelling(competition),
        "waiting": [(each.player.external_id, str(each.player)) for each in waiting.participants],
        "waiting_more": (waiting.total or 0) - len(waiting.participants),
        "waiting_heading": heading_without_score(competition.phase(at)),
    }


def _own_result(competition: Competition, viewer: Viewer, at: datetime) -> str:
    """Return the linked viewer's own points while places are hidden; otherwise empty."""
    if viewer.player is None or not viewer.linked or not competition.is_hidden(at):
        return ""
    found = own_points(competition, viewer.player, at)
    if found is None:
        return ""
    row = Row(None, viewer.player, viewer.player, found.points, found.fields, None, None, None)
    return result(competition.board, row)


def _own_division(
    competition: Competition, participant: Participant | None, viewer: Viewer, at: datetime
) -> OwnDivision | None:
    """Return the participant's division with their public rank. Without a rank only they see their division."""
    if participant is None or participant.division is None:
        return None
    placed = group_standings(competition, at)[1].divisions.get(participant.division.pk, [])
    found = next((each for each in placed if each.row.player == viewer.player), None)
    if found is None:
        return OwnDivision(participant.division, None, False, len(placed)) if viewer.linked else None
    return OwnDivision(participant.division, found.rank, found.tied > 1, len(placed))


def _without_result(competition: Competition, viewer: Viewer, at: datetime) -> str:
    """Return why a participant has no visible place: ``waiting``, ``frozen`` or ``ended``.

    Empty before the start, and for other viewers if a freeze hides all standings.
    """
    phase = competition.phase(at)
    if phase in (Phase.DRAFT, Phase.OPEN):
        return ""
    if phase is Phase.FROZEN and not viewer.linked:
        return "" if competition.timeline.shows_nothing(at) else "frozen"
    return "waiting" if at < competition.ends_at and phase is not Phase.CANCELLED else "ended"
