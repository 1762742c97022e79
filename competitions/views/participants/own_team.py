"""The choice of team and division: the fields of the form for joining, and the page to change teams."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.views.page_helpers import sign_in_required
from competitions.models import Competition, Participant, Team, TeamEntry
from competitions.selectors.competitions import LARGEST_NUMBER
from competitions.selectors.participants.participants import own_participation
from competitions.selectors.participants.teams import divisions_of, is_code_needed, places_taken, teams_open
from competitions.services.participants.team_codes import founded_by, renew_code
from competitions.services.participants.teams import TeamChoice, choose_team
from competitions.views.access import own_player, visible
from competitions.views.competition.words import refusal
from foundation import clock
from foundation.errors import RateLimited, SunwiError
from leaderboards.models import Player

LONGEST_CODE = 40
NO_ROW = 0  # no team or division has this id


def wish_of(request: HttpRequest) -> TeamChoice:
    """Read the choice from the form. The name of a new team takes precedence over a team of the list."""
    found = request.POST.get("found", "").strip()
    return TeamChoice(
        team=None if found else _number(request.POST.get("team", "")),
        found=found,
        division=_number(request.POST.get("division", "")),
        code=request.POST.get("team_code", "")[:LONGEST_CODE],
    )


def choices(competition: Competition, own: Team | None = None) -> dict[str, Any]:
    """Return the options of the fields; they include the viewer's own team even if it is full."""
    if not competition.has_teams:
        return {"teams_open": [], "divisions_open": divisions_of(competition)}
    offered = teams_open(competition)
    if own is not None and own not in [team for team, _ in offered]:
        offered.insert(0, (own, places_taken(own)))
    asks_code = is_code_needed(competition, own)
    return {"teams_open": offered, "divisions_open": divisions_of(competition), "asks_code": asks_code}


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_team(request: HttpRequest, number: int) -> HttpResponse:
    """Show the viewer's team, and its code to its founder.

    A POST renews the code or, until the competition starts, changes teams.
    """
    competition, player = visible(request, number), own_player(request)
    participant = None if player is None else own_participation(competition, player)
    if player is None or participant is None or not competition.has_teams:
        raise Http404("Only a participant of a competition with teams has one.")
    refused = ""
    if request.method == "POST":
        renews = "renew" in request.POST
        refused = _renew(competition, player) if renews else _change(competition, player, wish_of(request))
        if not refused:
            return redirect("competition-own-team" if renews else "competition", number)
    at = clock.now()
    context = {
        "competition": competition,
        "team": participant.team,
        "own_code": code_seen(competition, participant, at),
        "refused": refused,
        "found": request.POST.get("found", ""),
        "is_open": at < competition.starts_at,
        **choices(competition, participant.team),
    }
    return render(request, "competitions/own_team.html", context)


def code_seen(competition: Competition, participant: Participant, at: datetime) -> str | None:
    """Return the code of the team that the participant founded; empty if it has none.

    None if they founded no team, or if the code cannot be used any more.
    """
    is_over = competition.cancelled_at is not None or competition.ends_at <= at
    team = None if is_over or competition.team_entry != TeamEntry.CODE else founded_by(participant)
    return None if team is None else team.code


def _renew(competition: Competition, player: Player) -> str:
    at = clock.now()
    try:
        renew_code(competition, player, at)
    except SunwiError as error:
        return refusal(error, competition, at)
    return ""


def _change(competition: Competition, player: Player, wish: TeamChoice) -> str:
    at = clock.now()
    try:
        choose_team(competition, player, wish, at)
    except RateLimited:
        raise  # the middleware answers it with a page
    except SunwiError as error:
        return refusal(error, competition, at)
    return ""


def _number(typed: str) -> int | None:
    """Parse an id. None for an empty text; ``NO_ROW`` for anything that is no number."""
    if typed == "":
        return None
    is_number = typed.isascii() and typed.isdigit() and len(typed) < 20
    return min(int(typed), LARGEST_NUMBER) if is_number else NO_ROW
