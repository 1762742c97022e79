"""Check who may see a competition, and find the player of the signed-in user."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from accounts.views.page_helpers import sign_in_required
from competitions.models import Competition
from competitions.selectors.competitions import competition_by_id, competitions_by_id
from competitions.selectors.participants.participants import competitions_entered_by
from foundation.messages import Message
from leaderboards.choices import Visibility
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Player
from leaderboards.selectors.visibility.hidden import is_shadowed_on
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.viewer import Viewer


def visible(request: HttpRequest, number: int) -> Competition:
    """Return the competition if the visitor may see it. Raises ``Http404``.

    The user is only read for private competitions, so that public ones work while SQL is unavailable.
    """
    try:
        found = competitions_by_id([number]).get(number) or competition_by_id(
            number, drafts=may_see(request, Competition)
        )
    except UnknownCompetition as error:
        raise Http404(error.detail) from error
    if not visible_competitions(request, [found]):
        raise Http404(Message("There is no competition %(number)s.", number=number))
    return found


def visible_competitions(request: HttpRequest, competitions: Collection[Competition]) -> list[Competition]:
    """Return those that the visitor may see: private ones only for participants and staff with the permission.

    The user is not read if all of them are public.
    """
    private = [each.pk for each in competitions if each.board.visibility == Visibility.PRIVATE]
    if not private or may_see(request, Competition):
        return list(competitions)
    own = competitions_entered_by(request.user.pk, private) if request.user.is_authenticated else set()
    return [each for each in competitions if each.board.visibility == Visibility.PUBLIC or each.pk in own]


def as_seen(competition: Competition, viewer: Viewer) -> AbstractContextManager[None]:
    """Return a context in which selectors also show the viewer to themselves if they are shadowed on the board."""
    player = viewer.player if viewer.linked else None
    return viewing_as(player if player and is_shadowed_on(competition.board_id, player) else None)


def own_player(request: HttpRequest) -> Player | None:
    """Return the player of the signed-in user."""
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(user_id=request.user.pk).first()


def player_required(view: Callable[[HttpRequest, Player], HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Require a signed-in user with a linked player; users without one get a page that explains how to link."""

    @wraps(view)
    def own_page(request: HttpRequest) -> HttpResponse:
        player = own_player(request)
        return render(request, "competitions/unlinked.html") if player is None else view(request, player)

    return never_cache(sign_in_required(own_page))
