"""The page of all comments on a competition, which also takes new ones, and the link to a single comment."""

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from competitions.core.comments import read_text
from competitions.errors import UnknownComment
from competitions.models import Comment, Competition
from competitions.selectors.comments import Order, comment_by_id, newer_than
from competitions.services.comments.comment import post_comment
from competitions.views.access import own_player, visible
from competitions.views.comments.presentation import SHOWN, Draft, reader_of, refusal, talk
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.problems import status_of
from foundation.throttling.rate_limit import throttle
from leaderboards.models import Player
from leaderboards.views.http.responses import page_number, pages_of

LONGEST_FORM = 64


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: HttpRequest, number: int) -> HttpResponse:
    """Show a page of comments; post one on POST. A refused text stays in the form."""
    competition = visible(request, number)
    if request.method != "POST":
        return _page(request, competition)
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    player = own_player(request)
    if player is None:
        return redirect("account")
    try:
        posted = _write(request, competition, player)
    except SunwiError as error:
        draft = Draft(request.POST.get("text", ""), refusal(error))
        return _page(request, competition, draft, status_of(error))
    return redirect(back_to(request, posted))


@never_cache
@require_safe
def comment(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """Redirect to the page that contains the comment."""
    competition, reader = visible(request, number), reader_of(request)
    try:
        found = comment_by_id(competition, comment, reader)
    except UnknownComment as error:
        raise Http404(error.detail) from error
    page = newer_than(found, reader) // SHOWN + 1
    query = f"?page={page}" if page > 1 else ""
    return redirect(f"{all_of(competition)}{query}#comment-{found.pk}")


def all_of(competition: Competition) -> str:
    """Return the address of all comments."""
    return reverse("comments", args=[competition.pk])


def back_to(request: HttpRequest, comment: Comment) -> str:
    """Return the address of the comment on the page that contained the form; only pages of this site."""
    wanted = request.POST.get("next", "").partition("#")[0]
    host = request.get_host()
    if not url_has_allowed_host_and_scheme(wanted, {host}, require_https=request.is_secure()):
        wanted = all_of(comment.competition)
    return f"{wanted}#comment-{comment.pk}"


def _write(request: HttpRequest, competition: Competition, player: Player) -> Comment:
    text = read_text(request.POST.get("text", ""))  # before the throttle, so that invalid texts do not count
    throttle("comment", str(request.user.pk))
    form = request.POST.get("form", "")[:LONGEST_FORM]
    return post_comment(competition, player, text, form, clock.now())


def _page(
    request: HttpRequest, competition: Competition, draft: Draft | None = None, status: int = 200
) -> HttpResponse:
    at, page = clock.now(), page_number(request)
    order = Order.LIKES if request.GET.get("order") == Order.LIKES else Order.NEWEST
    context = talk(request, competition, at, order, (page - 1) * SHOWN)
    context |= {
        "competition": competition,
        "talk_paged": True,
        "number": page,
        "pages": pages_of(context["talk_total"], SHOWN),
        "draft": draft or Draft(),
    }
    return render(request, "competitions/comments.html", context, status=status)
