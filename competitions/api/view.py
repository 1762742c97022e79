"""Several reads of a competition in one request, as for a board: see ``leaderboards/api/routes/view.py``.

The trap: for a participant without a visible place, ``me`` says that they take part, never whether they have scored.
"""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import is_private, read_standings_of
from competitions.api.parameters import COMPETITION
from competitions.api.participants import without_place
from competitions.api.schemas.view import ViewOfCompetition
from competitions.api.standings import not_started_or_none
from competitions.models import Competition
from competitions.selectors.participants.participants import participant_of
from competitions.selectors.standings.standings import page_with_others
from foundation.db.resilience import SqlAway, ask
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.parameters import WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.routes.view import WANTED, Wanted, view_json
from leaderboards.selectors.rankings.metadata import reading_metadata

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/view", response=ViewOfCompetition, by_alias=True)
def read_competition_view(
    request: HttpRequest, competition: WholeNumber = COMPETITION, wanted: Wanted = WANTED
) -> HttpResponse:
    """A page, a participant among their neighbours, and others by name: all of one moment."""

    paging, others = wanted.of(request, f"c{competition}"), wanted.others()

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        page = page_with_others(found, at, paging.page, *others)
        content = view_json(wanted, page, paging)
        beside = {"competition": found.pk, "not_started": not_started_or_none(found, at, content["total"])}
        return content | beside | {"me": _me(found, wanted, content["me"], at)}

    with reading_metadata(wanted.metadata):
        found, content = read_standings_of(request, competition, read)
    return etag_response(request, content, is_private(found))


def _me(competition: Competition, wanted: Wanted, row: dict[str, Any] | None, at: datetime) -> dict[str, Any] | None:
    """Return the player's row; for a participant without a visible place, a row without rank and points; else None,
    also while SQL is away."""
    if row is not None:
        return row | {"status": "ranked"}
    name = wanted.player
    try:
        participant = None if name is None else ask(lambda: participant_of(competition, name))
    except SqlAway:
        return None
    return None if participant is None else without_place(competition, participant, at)
