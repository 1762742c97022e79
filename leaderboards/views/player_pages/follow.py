"""Follow a player, list whom one follows, and the menu of a row on a board, which offers both and more.

The form posts the wanted state and does not toggle, so sending it twice has no further effect. Scripts get JSON; other
clients are sent back to the page that they came from. Whom one follows is shown to oneself alone.
"""

from dataclasses import dataclass
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.views.page_helpers import next_url, render_message, sign_in_required
from foundation import clock
from foundation.errors import NotFound, RateLimited, SunwiError
from foundation.http.problems import status_of
from foundation.numbers import whole_number
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated
from foundation.users import User
from leaderboards.models import Player
from leaderboards.selectors.player_data.follows import MOST_FOLLOWED, followed_players, is_following
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.services.players import follow as following_service
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import page_number, pages_of, private
from leaderboards.views.http.viewer import may_be_signed_in, viewer_of

FOLLOWED_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class FollowButton:
    """The button on a player's page: to sign in first if not ``is_known``, else to follow, or to follow no longer."""

    player: str
    back: str
    is_known: bool = False
    is_following: bool = False


def follow_button(request: HttpRequest, player: Player, back: str = "") -> FollowButton | None:
    """Return the button for who asks, which leads ``back`` (the player's page if empty); None on one's own player."""
    back = back or reverse("player", args=[player.external_id])
    if not may_be_signed_in(request) or not request.user.is_authenticated:
        return FollowButton(player.external_id, back)
    if player.user_id == request.user.pk:
        return None
    return FollowButton(player.external_id, back, is_known=True, is_following=is_following(request.user.pk, player))


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def follow(request: HttpRequest, player: str) -> HttpResponse:
    """Follow the player (``following=1``) or no longer (``following=0``). A GET, as after signing in, shows them."""
    page = reverse("player", args=[player])
    if request.method != "POST":
        return redirect(page)
    wanted = {"1": True, "0": False}.get(request.POST.get("following", ""))
    if wanted is None:
        return HttpResponseBadRequest("`following` is 1 or 0.")
    user = cast("User", request.user)
    try:
        throttle("follow", user.pk)
        if wanted:
            following_service.follow(user, player, clock.now())
        else:
            following_service.unfollow(user, player)
    except SunwiError as error:
        return _refusal_response(request, error)
    return JsonResponse({"following": wanted}) if _is_script(request) else redirect(next_url(request, page))


@never_cache
@sign_in_required
@require_safe
def following(request: HttpRequest) -> HttpResponse:
    """List whom the user follows, the latest first, with a button to follow each no longer."""
    number = page_number(request)
    rows, total = followed_players(request.user.pk, (number - 1) * FOLLOWED_A_PAGE, FOLLOWED_A_PAGE)
    context: dict[str, Any] = {
        "rows": rows,
        "total": total,
        "most": MOST_FOLLOWED,
        "number": number,
        "pages": pages_of(total, FOLLOWED_A_PAGE),
        "here": request.get_full_path(),
    }
    return render(request, "leaderboards/following.html", context)


@require_safe
def row_menu(request: HttpRequest, player: str) -> HttpResponse:
    """Return what one can do with a row, as the part of a page that a script shows there.

    ``?board=`` is the board on which two are compared (without it they choose one), ``?share=`` the share menu of the
    page, ``?period=`` what it shows of the past, ``?next=`` the page itself.
    """
    board, share = whole_number(request.GET.get("board", "")), _share_path(request.GET.get("share", ""))
    known = Player.objects.filter(visible_q(None, ""), external_id=player) if "\0" not in player else None
    shown = known.first() if known is not None else None
    if shown is None or not (board or share):
        raise Http404("There is no such player.")
    viewer = viewer_of(request)
    back = next_url(request, reverse("board", args=[board]) if board else reverse("player", args=[player]))
    context = {
        "player": shown,
        "board": board,
        "share": share,
        "period": request.GET.get("period", ""),
        "viewer": viewer,
        "is_self": viewer.player == player,
        "button": follow_button(request, shown, back),
        "manage": _admin_page(request, shown),
    }
    return private(render(request, "leaderboards/_row_menu.html", context))


def _admin_page(request: HttpRequest, player: Player) -> str:
    """Return the address of the player's page in the admin, for staff who may open it; else ""."""
    if not (may_be_signed_in(request) and may_see(request, Player)):
        return ""
    return reverse("admin:leaderboards_player_change", args=[player.pk])


def _share_path(given: str) -> str:
    """Return the path of a share menu of this site; empty if it is none."""
    try:
        name = resolve(given).url_name
    except Resolver404:
        return ""
    return given if name in ("board-share", "competition-share") else ""


def _refusal_response(request: HttpRequest, error: SunwiError) -> HttpResponse:
    """Return the refusal as JSON for scripts, or as a page."""
    if _is_script(request):
        return JsonResponse({"refused": translated(error.detail)}, status=status_of(error))
    if isinstance(error, RateLimited):
        raise error  # the middleware answers it with a page
    if isinstance(error, NotFound):
        raise Http404(error.detail) from error
    return render_message(request, _("Not followed"), translated(error.detail), status=status_of(error))


def _is_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"
