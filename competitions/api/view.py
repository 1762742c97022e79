"""A read of several things of a competition is one request, as of a board: see ``leaderboards/api/view.py``.

The trap: ``me`` of who has no place that may be shown tells that they take part, never whether they have scored.
"""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import is_private, read_standings_of
from competitions.api.parameters import COMPETITION
from competitions.api.participants import without_place
from competitions.api.schemas_of_view import ViewOfCompetition
from competitions.api.standings import waiting
from competitions.models import Competition
from competitions.selectors.participants import participant_of
from competitions.selectors.standings import several
from foundation.sql import SqlAway, ask
from leaderboards.api.access import Reads
from leaderboards.api.answers import conditional
from leaderboards.api.parameters import Whole
from leaderboards.api.view import WANTED, Wanted, view_shown

router = Router(tags=["competitions"], auth=Reads())


@router.get("/competitions/{competition}/view", response=ViewOfCompetition, by_alias=True)
def read_competition_view(
    request: HttpRequest, competition: Whole = COMPETITION, wanted: Wanted = WANTED
) -> HttpResponse:
    """A page, a participant among their neighbours, and others by name: all of one moment."""

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        content = view_shown(wanted, several(found, at, *wanted.questions()))
        beside = {"competition": found.pk, "not_started": waiting(found, at, content["total"])}
        return content | beside | {"me": _me(found, wanted, content["me"], at)}

    found, content = read_standings_of(request, competition, read)
    return conditional(request, content, is_private(found))


def _me(competition: Competition, wanted: Wanted, row: dict[str, Any] | None, at: datetime) -> dict[str, Any] | None:
    """The player's row; without rank and points who takes part and has no place that may be shown; else None, as while
    SQL is away and cannot say who takes part."""
    if row is not None:
        return row | {"status": "ranked"}
    name = wanted.player
    try:
        participant = None if name is None else ask(lambda: participant_of(competition, name))
    except SqlAway:
        return None
    return None if participant is None else without_place(competition, participant, at)
