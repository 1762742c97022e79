"""Join and leave a competition, and decide which of this a visitor is offered."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.views.page_helpers import sign_in_required
from competitions.models import Competition, Joining, Participant, Team
from competitions.selectors.competitions import places_taken
from competitions.services.participants import join as services
from competitions.services.participants.teams import TeamChoice
from competitions.views.access import own_player, visible
from competitions.views.competition.words import joining_was_until, refusal
from competitions.views.participants.own_team import LONGEST_CODE, code_seen
from foundation import clock
from foundation.errors import RateLimited, SunwiError
from leaderboards.models import Player


@dataclass(frozen=True, slots=True)
class Offer:
    """What the page offers: ``kind`` is ``join``, ``sign_in``, ``link``, ``leave`` or empty for a sentence only."""

    kind: str = ""
    sentence: str = ""
    needs_code: bool = False
    team: Team | None = None
    may_change_team: bool = False
    has_code: bool = False


def offer(request: HttpRequest, competition: Competition, player: Player | None, at: datetime) -> Offer:
    """Return what this visitor can do."""
    before = competition.participants.filter(player=player).select_related("team").first() if player else None
    is_over = competition.cancelled_at is not None or competition.ends_at <= at
    if before is not None and (before.takes_part or before.disqualified_at is not None):
        return _as_participant(competition, before, is_over, at)
    if is_over or competition.published_at is None:
        return Offer()
    if sentence := _join_refusal(competition, player, at):
        return Offer(sentence=sentence)
    if player is None:
        return Offer("link" if request.user.is_authenticated else "sign_in")
    return Offer("join", needs_code=competition.joining == Joining.CODE)


def join(competition: Competition, player: Player | None, code: str, wish: TeamChoice) -> str:
    """Join the competition. Return why it was refused, or an empty text."""
    if player is None:
        return _("Sign in and link your player first.")
    at = clock.now()
    try:
        services.join(competition, player, at, code[:LONGEST_CODE], wish)
    except RateLimited:
        raise  # the middleware answers it with a page
    except SunwiError as error:
        return refusal(error, competition, at)
    return ""


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, number: int) -> HttpResponse:
    """Ask for confirmation, because the standing is removed too; leave on POST."""
    competition, player = visible(request, number), own_player(request)
    if player is None:
        raise Http404("Only a player can leave.")
    sentence = ""
    if request.method == "POST":
        sentence = _leave(competition, player)
        if not sentence:
            return redirect("competition", number)
    return render(request, "competitions/leave.html", {"competition": competition, "sentence": sentence})


def _leave(competition: Competition, player: Player) -> str:
    at = clock.now()
    try:
        services.leave(competition, player, at)
    except SunwiError as error:
        return refusal(error, competition, at)
    return ""


def _as_participant(competition: Competition, participant: Participant, is_over: bool, at: datetime) -> Offer:
    if participant.disqualified_at is not None:
        return Offer(sentence=" ".join(filter(None, (_("You were disqualified."), participant.reason))))
    team = participant.team if competition.has_teams else None
    if is_over:
        return Offer(sentence=_("You took part."), team=team)
    may_change = competition.has_teams and at < competition.starts_at
    has_code = code_seen(competition, participant, at) is not None
    return Offer("leave", _("You take part."), team=team, may_change_team=may_change, has_code=has_code)


def _join_refusal(competition: Competition, player: Player | None, at: datetime) -> str:
    if competition.join_until is not None and competition.join_until <= at:
        return joining_was_until(competition, at)
    most = competition.most_participants
    if most is not None and places_taken(competition) >= most:
        return _("All places are taken.")
    if player is None or competition.joining != Joining.LIST:
        return ""
    invited = competition.invitations.filter(external_id=player.external_id).exists()
    return "" if invited else _("Only players on the list may join.")
