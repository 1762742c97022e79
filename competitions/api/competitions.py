"""The list of competitions, and one competition. Nothing in these answers reveals what a freeze hides."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router

from competitions.api.access import competition_to_read, is_private
from competitions.api.parameters import BOARD, COMPETITION, STATE, State
from competitions.api.schemas.competitions import CompetitionShown, CompetitionsListed
from competitions.models import Competition
from competitions.selectors.competitions import CompetitionSummary, competitions_known, participants_count, summaries_of
from competitions.selectors.participants.participants import not_started
from competitions.selectors.participants.teams import divisions_of
from competitions.selectors.results.review import review_until
from competitions.selectors.standings.standings import standings
from foundation import clock
from foundation.http.encoding import Volatile, when, when_or_none
from leaderboards.api.http.access import OptionalKey, may_list
from leaderboards.api.http.paging import refuse_too_many_rows
from leaderboards.api.http.parameters import LISTED, OFFSET, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response

SETTINGS = (
    *("description", "timezone", "joining", "most_participants", "attempts", "snapshot_minutes", "alert_hours"),
    *("alerts", "freeze_minutes", "vacated_places", "team_counts", "team_size", "team_founding"),
    "team_entry",
)

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions", response=CompetitionsListed)
def list_competitions(
    request: HttpRequest,
    state: State | None = STATE,
    board: WholeNumber | None = BOARD,
    offset: Bounded = OFFSET,
    limit: Bounded = LISTED,
) -> HttpResponse:
    """Competitions that the caller may read, the latest start first."""
    refuse_too_many_rows(request, limit)
    at = clock.now()
    found = [each for each in competitions_known(at, state, board) if may_list(request, each.board)]
    rows = [_summary_json(each) for each in summaries_of(found[offset : offset + limit], at)]
    return etag_response(request, {"total": len(found), "rows": rows}, private=any(map(is_private, found)))


@router.get("/competitions/{competition}", response=CompetitionShown)
def read_competition(request: HttpRequest, competition: WholeNumber = COMPETITION) -> HttpResponse:
    """One competition."""
    found = competition_to_read(request, competition)
    return etag_response(request, _competition_json(found), is_private(found))


def _summary_json(summary: CompetitionSummary) -> dict[str, Any]:
    competition = summary.competition
    return {
        "id": competition.pk,
        "name": competition.name,
        "state": summary.phase,
        "starts_at": when(competition.starts_at),
        "ends_at": when(competition.ends_at),
        "board": competition.board_id,
        "participants": summary.participants,
    }


def _competition_json(competition: Competition) -> dict[str, Any]:
    at = clock.now()
    summary = _summary_json(CompetitionSummary(competition, competition.phase(at), participants_count(competition)))
    is_hidden = competition.is_hidden(at)
    seconds_left = int((competition.ends_at - at).total_seconds())
    return {
        **summary,
        **{name: getattr(competition, name) for name in SETTINGS},
        "team_score": competition.team_score or None,
        "divisions": [{"id": each.pk, "name": each.name} for each in divisions_of(competition)],
        "picture": _picture(competition),
        "join_until": when_or_none(competition.join_until),
        "freezes_at": when_or_none(competition.timeline.frozen_since),
        "revealed_at": when_or_none(competition.revealed_at),
        "closed_at": None if is_hidden else when_or_none(competition.closed_at),
        "review_until": None if is_hidden else when_or_none(review_until(competition)),
        "final_at": None if is_hidden else when_or_none(competition.final_at),
        "cancelled_at": when_or_none(competition.cancelled_at),
        "seconds_left": Volatile(max(0, seconds_left)),
        "total": standings(competition, at, limit=1).total,
        "not_started": not_started(competition, at, limit=0).total,
    }


def _picture(competition: Competition) -> str | None:
    if not competition.picture_hash:
        return None
    return reverse("competition-picture", args=[competition.pk, competition.picture_hash])
