"""A competition's standings: a page, or a participant and their neighbours."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import competition_to_read, is_private, read_standings_of
from competitions.api.parameters import COMPETITION, DIVISION
from competitions.api.schemas.view import PageOfCompetition
from competitions.models import Competition, Division
from competitions.selectors.participants.participants import not_started_in
from competitions.selectors.participants.teams import division_by_id
from competitions.selectors.standings import standings as selectors
from competitions.selectors.standings.cached_competition import cached_not_started
from competitions.selectors.standings.group_standings import division_page
from foundation import clock
from foundation.db.resilience import SqlAway, ask
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.paging import PAGE, PageAsked, Paging, cursors
from leaderboards.api.http.parameters import METADATA, PLAYER, RADIUS, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.routes.standings import standings_header_json, standings_json
from leaderboards.core.input.entries import read_player
from leaderboards.selectors import Standings
from leaderboards.selectors.rankings.encoded_pages import EncodedPage
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.selectors.rankings.row_json import row_json

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/standings", response=PageOfCompetition)
def read_competition_standings(
    request: HttpRequest,
    competition: WholeNumber = COMPETITION,
    division: WholeNumber | None = DIVISION,
    metadata: bool = METADATA,
    page: PageAsked = PAGE,
) -> HttpResponse:
    """A page of a competition's rows, best first; of one division with the places within it too."""
    if division is not None:
        paging = page.of(request, f"c{competition}.{division}")
        found, at = competition_to_read(request, competition), clock.now()
        with reading_metadata(metadata):
            content = _division_json(found, division_by_id(found, division), paging, at)
        return etag_response(request, content, is_private(found))
    paging = page.of(request, f"c{competition}")

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        rows = selectors.encoded(found, at, paging.page)
        return _header_json(found, rows, at) | {"rows": rows.rows} | paging.cursors(rows.ends)

    with reading_metadata(metadata):
        found, content = read_standings_of(request, competition, read)
    return etag_response(request, content, is_private(found))


@router.get("/competitions/{competition}/players/{player}/around", response=PageOfCompetition)
def read_around_participant(
    request: HttpRequest,
    competition: WholeNumber = COMPETITION,
    player: str = PLAYER,
    radius: Bounded = RADIUS,
    metadata: bool = METADATA,
) -> HttpResponse:
    """A participant and those next to them; its cursors are for the competition's standings."""

    def read(found: Competition, at: datetime) -> dict[str, Any]:
        rows = selectors.around(found, read_player(player), at, radius)
        content = _header_json(found, rows, at) | {"rows": [row_json(row) for row in rows.rows]}
        return content | cursors(f"c{competition}", rows.ends)

    with reading_metadata(metadata):
        found, content = read_standings_of(request, competition, read)
    return etag_response(request, content, is_private(found))


def _header_json(competition: Competition, found: Standings | EncodedPage, at: datetime) -> dict[str, Any]:
    return {
        "competition": competition.pk,
        **standings_header_json(found),
        "not_started": not_started_or_none(competition, at, found.total),
    }


def _division_json(competition: Competition, division: Division, paging: Paging, at: datetime) -> dict[str, Any]:
    """Return a page of one division; ``not_started`` counts within it."""
    head, rows = division_page(competition, division.pk, at, paging.page)
    return {
        "competition": competition.pk,
        "division": division.pk,
        **standings_json(head),
        "not_started": not_started_in(competition, division.pk, at),
        "rows": [row_json(each.row) | {"division_rank": each.rank, "division_tied": each.tied} for each in rows],
        **paging.cursors(head.ends),
    }


def not_started_or_none(competition: Competition, at: datetime, total: int) -> int | None:
    """Count the participants without a score, beside ``total`` with one; None while SQL is away, since live standings
    are read without SQL too."""
    try:
        return ask(lambda: cached_not_started(competition, at, total))
    except SqlAway:
        return None
