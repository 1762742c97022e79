"""A competition's standings: a page of them, or a participant and those around them."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import competition_to_read, is_private, read_standings_of
from competitions.api.parameters import COMPETITION, DIVISION
from competitions.api.schemas import StandingsOfCompetition
from competitions.models import Competition, Division
from competitions.selectors import standings as selectors
from competitions.selectors.grouped import of_division
from competitions.selectors.participants import not_started_in
from competitions.selectors.steady import not_started_beside
from competitions.selectors.teams import division_by_id
from foundation import clock
from foundation.sql import SqlAway, ask
from leaderboards.api.access import Reads
from leaderboards.api.answers import conditional
from leaderboards.api.parameters import LIMIT, OFFSET, PLAYER, RADIUS, Bounded, Whole
from leaderboards.api.standings import frame_shown, standings_shown
from leaderboards.core.entries import read_player
from leaderboards.selectors import Standings
from leaderboards.selectors.encoded import EncodedPage
from leaderboards.selectors.rows import row_shown
from leaderboards.stores.base import Page

router = Router(tags=["competitions"], auth=Reads())


@router.get("/competitions/{competition}/standings", response=StandingsOfCompetition)
def read_competition_standings(
    request: HttpRequest,
    competition: Whole = COMPETITION,
    offset: Bounded = OFFSET,
    limit: Bounded = LIMIT,
    division: Whole | None = DIVISION,
) -> HttpResponse:
    """A page of a competition's rows, best first; of one division with the places within it too."""
    if division is not None:
        found, at = competition_to_read(request, competition), clock.now()
        content = _division_shown(found, division_by_id(found, division), Page(offset, limit), at)
        return conditional(request, content, is_private(found))

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        page = selectors.encoded(found, at, offset, limit)
        return _around_rows(found, page, at) | {"rows": page.rows}

    found, content = read_standings_of(request, competition, read)
    return conditional(request, content, is_private(found))


@router.get("/competitions/{competition}/players/{player}/around", response=StandingsOfCompetition)
def read_around_participant(
    request: HttpRequest, competition: Whole = COMPETITION, player: str = PLAYER, radius: Bounded = RADIUS
) -> HttpResponse:
    """A participant and those next to them."""

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        rows = selectors.around(found, read_player(player), at, radius)
        return _around_rows(found, rows, at) | {"rows": [row_shown(row) for row in rows.rows]}

    found, content = read_standings_of(request, competition, read)
    return conditional(request, content, is_private(found))


def _around_rows(competition: Competition, found: Standings | EncodedPage, at: datetime) -> dict[str, Any]:
    return {
        "competition": competition.pk,
        **frame_shown(found),
        "not_started": waiting(competition, at, found.total),
    }


def _division_shown(competition: Competition, division: Division, page: Page, at: datetime) -> dict[str, Any]:
    """The same of one division; who has not started is counted within it."""
    head, rows = of_division(competition, division.pk, at, page)
    return {
        "competition": competition.pk,
        "division": division.pk,
        **standings_shown(head),
        "not_started": not_started_in(competition, division.pk, at),
        "rows": [row_shown(each.row) | {"division_rank": each.rank, "division_tied": each.tied} for each in rows],
    }


def waiting(competition: Competition, at: datetime, total: int) -> int | None:
    """How many have not started, beside ``total`` who have. Live standings are read without SQL too; then nobody can
    say."""
    try:
        return ask(lambda: not_started_beside(competition, at, total))
    except SqlAway:
        return None
