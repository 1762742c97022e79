"""Who may know of a competition, and which player somebody is."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from competitions.models import Competition
from competitions.selectors.competitions import competition_by_id, competitions_by_id
from leaderboards.choices import Visibility
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Player
from leaderboards.views.answers import is_staff


def visible(request: HttpRequest, number: int) -> Competition:
    """The competition; drafts, and those on private boards, are for staff alone. Raises ``Http404``.

    Who asks is only looked up where it matters: SQL, which knows it, may be away.
    """
    try:
        found = competitions_by_id([number]).get(number) or competition_by_id(number, drafts=is_staff(request))
    except UnknownCompetition as error:
        raise Http404(error.detail) from error
    if found.board.visibility == Visibility.PRIVATE and not is_staff(request):
        raise Http404(f"There is no competition {number}.")
    return found


def own_player(request: HttpRequest) -> Player | None:
    """The player of whoever is signed in."""
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(user_id=request.user.pk).first()


def for_players(view: Callable[[HttpRequest, Player], HttpResponse]) -> Callable[..., HttpResponse]:
    """A page of somebody's own: he has signed in, and is linked to a player; else he reads how to come there."""

    @wraps(view)
    def own_page(request: HttpRequest) -> HttpResponse:
        player = own_player(request)
        return render(request, "competitions/unlinked.html") if player is None else view(request, player)

    return never_cache(login_required(own_page))
