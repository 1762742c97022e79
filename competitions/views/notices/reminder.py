"""Ask to be told when a competition starts, or take that back."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.views.page_helpers import sign_in_required
from competitions.core.lifecycle import Phase
from competitions.models import Competition, StartReminder
from competitions.services.notices.reminders import ask_reminder, withdraw_reminder
from competitions.views.access import own_player, visible
from competitions.views.competition.words import refusal, timed_of
from foundation import clock
from foundation.errors import SunwiError
from leaderboards.models import Player


@dataclass(frozen=True, slots=True)
class ReminderOffer:
    """What the page offers before the start: ``has_player`` if the viewer has one, ``is_asked`` if they have asked."""

    has_player: bool
    is_asked: bool


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def reminder(request: HttpRequest, number: int) -> HttpResponse:
    """Show whether the player will be reminded; a post with ``wanted=1`` asks for it, any other takes it back."""
    competition, player = visible(request, number), own_player(request)
    if player is None:
        coming = competition if competition.phase(clock.now()) is Phase.OPEN else None
        return render(request, "competitions/unlinked.html", {"coming": coming})
    refused = ""
    if request.method == "POST":
        refused = _save(competition, player, is_wanted=request.POST.get("wanted") == "1")
        if not refused:
            return redirect("competition", number)
    at = clock.now()
    context = {
        "competition": competition,
        "reminder": reminder_offer(competition, player, competition.phase(at)),
        "starts": timed_of(competition, competition.starts_at, at),
        "refused": refused,
    }
    return render(request, "competitions/reminder.html", context, status=409 if refused else 200)


def reminder_offer(competition: Competition, player: Player | None, phase: Phase) -> ReminderOffer | None:
    """Return what is offered; None unless the competition is published and starts later."""
    if phase is not Phase.OPEN:
        return None
    is_asked = player is not None and StartReminder.objects.filter(competition=competition, player=player).exists()
    return ReminderOffer(player is not None, is_asked)


def _save(competition: Competition, player: Player, *, is_wanted: bool) -> str:
    """Save the wish. Return why it was refused, or an empty text."""
    at = clock.now()
    if not is_wanted:
        withdraw_reminder(competition, player)
        return ""
    try:
        ask_reminder(competition, player, at)
    except SunwiError as error:
        return refusal(error, competition, at)
    return ""
