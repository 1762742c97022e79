"""Liking a comment, and who likes it. What is posted is the state that is wanted, never "the other one": a form that
is sent twice changes nothing the second time. A script is answered in JSON, everybody else comes back to the comment.
"""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from competitions.errors import UnknownComment
from competitions.models import Comment
from competitions.selectors.comments import comment_by_id, comment_to_unlike, likers
from competitions.views.access import own_player, visible
from competitions.views.comments.listing import back_to
from competitions.views.comments.presentation import label, refusal, who
from foundation import clock
from foundation.errors import Forbidden, SunwiError
from foundation.http.problems import status_of
from foundation.throttling.rate_limit import throttle
from leaderboards import formats
from leaderboards.models import Player
from leaderboards.views.http.responses import page_number, pages_of
from likes.services.like import like as give
from likes.services.like import unlike as take_back
from likes.stores.base import LikeSummary

KIND = "comment"
LIKERS_SHOWN = 50


@never_cache
@require_POST
def like(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """``liked=1``: they like it; ``liked=0``: they do not."""
    wanted = {"1": True, "0": False}.get(request.POST.get("liked", ""))
    player = own_player(request)
    found = _found(request, number, comment, None if wanted else player)
    if wanted is None:
        return HttpResponseBadRequest("`liked` is 1 or 0.")
    if player is None:
        return _nobody(request, found)
    try:
        throttle("like", str(request.user.pk))
        shown = _set(found, player, wanted)
    except SunwiError as error:
        return _refused(request, error)
    return JsonResponse(_state(found, shown)) if _by_script(request) else redirect(back_to(request, found))


@never_cache
@require_safe
def liked_by(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """Who likes it, the newest first."""
    found, page, at = _found(request, number, comment), page_number(request), clock.now()
    told = likers(found, (page - 1) * LIKERS_SHOWN, LIKERS_SHOWN)
    zone = found.competition.timezone
    context = {
        "competition": found.competition,
        "comment": found,
        "total": told.total,
        "likers": [(liker, name, formats.date_and_time(liker.at, zone, at)) for liker, name in told.rows],
        "number": page,
        "pages": pages_of(told.total, LIKERS_SHOWN),
        "is_live": told.live,
    }
    return render(request, "competitions/liked_by.html", context)


def _found(request: HttpRequest, number: int, comment: int, liker: Player | None = None) -> Comment:
    """A comment that anybody may read, or one that ``liker`` has liked before it was hidden."""
    competition = visible(request, number)
    try:
        return comment_to_unlike(competition, comment, liker) if liker else comment_by_id(competition, comment)
    except UnknownComment as error:
        raise Http404(error.detail) from error


def _set(comment: Comment, player: Player, wanted: bool) -> LikeSummary:
    action = give if wanted else take_back
    return action(KIND, str(comment.pk), player.external_id, clock.now())


def _state(comment: Comment, shown: LikeSummary) -> dict[str, Any]:
    """What the button shows from now on."""
    return {
        "liked": shown.liked,
        "count": shown.count,
        "text": formats.number(shown.count),
        "label": label(str(comment.player), shown.count),
        "who": who(shown),
    }


def _nobody(request: HttpRequest, comment: Comment) -> HttpResponse:
    """To where one signs in, or links a player; and back to the comment."""
    way = redirect("account") if request.user.is_authenticated else redirect_to_login(back_to(request, comment))
    return JsonResponse({"sign_in": way.url}, status=401) if _by_script(request) else way


def _refused(request: HttpRequest, error: SunwiError) -> HttpResponse:
    """Scripts read the sentence; others get the page for it."""
    if _by_script(request):
        return JsonResponse({"refused": refusal(error)}, status=status_of(error))
    if isinstance(error, Forbidden):
        raise PermissionDenied(error.detail) from error
    raise error


def _by_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"
