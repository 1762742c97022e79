"""Like a comment, and list who likes it.

The form posts the wanted state and does not toggle, so sending it twice has no further effect. Scripts get JSON; other
clients are redirected to the comment.
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
    """Like the comment (``liked=1``) or remove the like (``liked=0``)."""
    wanted = {"1": True, "0": False}.get(request.POST.get("liked", ""))
    player = own_player(request)
    target = _likeable_comment(request, number, comment, None if wanted else player)
    if wanted is None:
        return HttpResponseBadRequest("`liked` is 1 or 0.")
    if player is None:
        return _require_player(request, target)
    try:
        throttle("like", str(request.user.pk))
        summary = _set_liked(target, player, wanted)
    except SunwiError as error:
        return _refusal_response(request, error)
    return JsonResponse(_state(target, summary)) if _is_script(request) else redirect(back_to(request, target))


@never_cache
@require_safe
def liked_by(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """List who likes a comment, newest first."""
    target, page, at = _likeable_comment(request, number, comment), page_number(request), clock.now()
    people = likers(target, (page - 1) * LIKERS_SHOWN, LIKERS_SHOWN)
    zone = target.competition.timezone
    context = {
        "competition": target.competition,
        "comment": target,
        "total": people.total,
        "likers": [(liker, name, formats.date_and_time(liker.at, zone, at)) for liker, name in people.rows],
        "number": page,
        "pages": pages_of(people.total, LIKERS_SHOWN),
        "is_live": people.live,
    }
    return render(request, "competitions/liked_by.html", context)


def _likeable_comment(request: HttpRequest, number: int, comment: int, liker: Player | None = None) -> Comment:
    """Return a public comment, or a hidden one that ``liker`` has liked before."""
    competition = visible(request, number)
    try:
        return comment_to_unlike(competition, comment, liker) if liker else comment_by_id(competition, comment)
    except UnknownComment as error:
        raise Http404(error.detail) from error


def _set_liked(comment: Comment, player: Player, wanted: bool) -> LikeSummary:
    action = give if wanted else take_back
    return action(KIND, str(comment.pk), player.external_id, clock.now())


def _state(comment: Comment, summary: LikeSummary) -> dict[str, Any]:
    """Return the new state of the button for scripts."""
    return {
        "liked": summary.liked,
        "count": summary.count,
        "text": formats.number(summary.count),
        "label": label(str(comment.player), summary.count),
        "who": who(summary),
    }


def _require_player(request: HttpRequest, comment: Comment) -> HttpResponse:
    """Redirect to sign-in or to linking a player, and from there back to the comment."""
    response = redirect("account") if request.user.is_authenticated else redirect_to_login(back_to(request, comment))
    return JsonResponse({"sign_in": response.url}, status=401) if _is_script(request) else response


def _refusal_response(request: HttpRequest, error: SunwiError) -> HttpResponse:
    """Return the refusal as JSON for scripts, or as a page."""
    if _is_script(request):
        return JsonResponse({"refused": refusal(error)}, status=status_of(error))
    if isinstance(error, Forbidden):
        raise PermissionDenied(error.detail) from error
    raise error


def _is_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"
