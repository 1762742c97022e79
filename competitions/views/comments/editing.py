"""Edit and delete one's own comment, report others', hide them or dismiss reports as a moderator; each has a page."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.views.page_helpers import sign_in_required
from competitions.core.comments import LONGEST
from competitions.errors import BadCompetition, UnknownComment
from competitions.models import Comment
from competitions.selectors.comments import NO_REPORTS, Reader, comment_by_id, reports_of
from competitions.services.comments import comment as services
from competitions.services.comments import moderate, reports
from competitions.views.access import own_player, visible
from competitions.views.comments.listing import all_of
from competitions.views.comments.presentation import moderates, refusal
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.reasons import LONGEST_REASON
from foundation.throttling.rate_limit import throttle
from leaderboards.models import Player

CommentView = Callable[[HttpRequest, Comment, Player], HttpResponse]


def _author_only(view: CommentView) -> Callable[..., HttpResponseBase]:
    """Restrict a view to the comment's author; others get 404."""

    @never_cache
    @sign_in_required
    @require_http_methods(["GET", "HEAD", "POST"])
    def page(request: HttpRequest, number: int, comment: int) -> HttpResponse:
        found, player = _comment_of(request, number, comment), own_player(request)
        if player is None or found.player_id != player.pk:
            raise Http404("There is no such comment of yours.")
        return view(request, found, player)

    return page


@_author_only
def edit(request: HttpRequest, comment: Comment, player: Player) -> HttpResponse:
    """Show the text in a form; save it on POST."""
    text, refused = comment.text, ""
    if request.method == "POST":
        text = request.POST.get("text", "")
        refused = _run_or_refusal(lambda: _edit(request, comment, player, text))
        if not refused:
            return redirect("comment", comment.competition_id, comment.pk)
    context = {"text": text, "refused": refused, "longest": LONGEST}
    return _page(request, "competitions/comment_edit.html", comment, context)


def _edit(request: HttpRequest, comment: Comment, player: Player, text: str) -> None:
    throttle("comment", str(request.user.pk))
    services.edit(comment.pk, player, text, clock.now())


@_author_only
def delete(request: HttpRequest, comment: Comment, player: Player) -> HttpResponse:
    """Ask for confirmation; delete the comment's text on POST."""
    refused = ""
    if request.method == "POST":
        refused = _run_or_refusal(lambda: services.delete(comment.pk, player, clock.now()))
        if not refused:
            return redirect(f"{all_of(comment.competition)}#comments")
    return _page(request, "competitions/comment_delete.html", comment, {"refused": refused})


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def hide(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """Hide a comment for a given reason, or show a hidden one again."""
    if not moderates(request):
        raise Http404("Moderators alone hide comments.")
    found, refused = _comment_of(request, number, comment), ""
    if request.method == "POST":
        refused = _run_or_refusal(lambda: _moderate(request, found))
        if not refused:
            return redirect("comment", found.competition_id, found.pk)
    return _page(request, "competitions/comment_hide.html", found, {"refused": refused, "longest": LONGEST_REASON})


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """Ask what is wrong with another player's comment; report it on POST."""
    found, player = _comment_of(request, number, comment), own_player(request)
    if player is None or found.player_id == player.pk or found.hidden_at is not None:
        raise Http404("Players report comments of others.")
    refused = ""
    if request.method == "POST":
        refused = _run_or_refusal(lambda: _report(request, found, player))
        if not refused:
            return redirect("comment", found.competition_id, found.pk)
    return _page(request, "competitions/comment_report.html", found, {"refused": refused, "longest": LONGEST_REASON})


def _report(request: HttpRequest, comment: Comment, player: Player) -> None:
    throttle("comment", str(request.user.pk))
    reports.report(comment.pk, player, request.POST.get("reason", ""), clock.now())


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def dismiss(request: HttpRequest, number: int, comment: int) -> HttpResponse:
    """Show the open reports of a comment; dismiss them on POST."""
    if not moderates(request):
        raise Http404("Moderators alone dismiss reports.")
    found, refused = _comment_of(request, number, comment), ""
    if request.method == "POST":
        refused = _run_or_refusal(lambda: reports.dismiss(found.pk, clock.now(), signed_in(request)))
        if not refused:
            return redirect("comment", found.competition_id, found.pk)
    reader = Reader(own_player(request), sees_hidden=True)
    reasons = reports_of([found.pk], reader).get(found.pk, NO_REPORTS).reasons
    return _page(request, "competitions/comment_dismiss.html", found, {"refused": refused, "reasons": reasons})


def _moderate(request: HttpRequest, comment: Comment) -> None:
    if request.POST.get("hidden") == "0":
        moderate.show(comment.pk, clock.now(), signed_in(request))
    else:
        moderate.hide(comment.pk, request.POST.get("reason", ""), clock.now(), signed_in(request))


def _comment_of(request: HttpRequest, number: int, comment: int) -> Comment:
    reader = Reader(own_player(request), moderates(request))
    try:
        return comment_by_id(visible(request, number), comment, reader)
    except UnknownComment as error:
        raise Http404(error.detail) from error


def _run_or_refusal(action: Callable[[], object]) -> str:
    """Run ``action``. Return why it was refused, or an empty text."""
    try:
        action()
    except BadCompetition:
        return _("Give a reason of 1 to %(number)d characters.") % {"number": LONGEST_REASON}
    except SunwiError as error:
        return refusal(error)
    return ""


def _page(request: HttpRequest, template: str, comment: Comment, context: dict[str, Any]) -> HttpResponse:
    status = 400 if context["refused"] else 200
    return render(request, template, context | {"comment": comment, "competition": comment.competition}, status=status)
