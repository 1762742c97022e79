"""A person's own data: all that is held about them as a file, and the end of their account."""

from django import forms
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.errors import StillHidden
from accounts.views.page_helpers import proven_member_required, render_message, run_or_add_error
from foundation import clock
from foundation.throttling.rate_limit import throttle
from leaderboards.models import Player
from leaderboards.refusals import translated
from leaderboards.selectors.exports.export_slots import ExportSlot
from leaderboards.selectors.player_data.account_export import account_export
from leaderboards.services.players.delete_account import ERASE, KEEP, delete_account


class LeaveForm(forms.Form):
    """What becomes of the player; it is asked of who has one."""

    player = forms.ChoiceField(
        label=gettext_lazy("Your player"),
        choices=[
            (ERASE, gettext_lazy("Erase them too: name and picture go, and places in open periods")),
            (KEEP, gettext_lazy("Keep them: they go on in the game, linked to no account")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: object, has_player: bool) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # what Django's takes
        if not has_player:
            del self.fields["player"]


@require_safe
@proven_member_required
def export(request: HttpRequest, user: User) -> HttpResponseBase:
    """A JSON file; 409 while a freeze hides results of theirs, 429 for who asks often, 503 where many are made."""
    throttle("own_data", user.pk)
    try:
        with ExportSlot():  # until it is written: all of it is in memory
            held = account_export(user, clock.now())
            response = JsonResponse(held, json_dumps_params={"ensure_ascii": False, "indent": 2})
    except StillHidden as error:
        return render_message(request, _("Not yet"), _(error.detail), status=409)
    response["Content-Disposition"] = 'attachment; filename="sunwi-account.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@proven_member_required
def delete(request: HttpRequest, user: User) -> HttpResponseBase:
    """Asked once more, with what becomes of the player."""
    player = Player.objects.filter(user=user).first()
    sent = (request.POST,) if request.method == "POST" else ()
    form = LeaveForm(*sent, has_player=player is not None)
    if request.method == "POST" and form.is_valid() and _left(form, user):
        logout(request)
        return render_message(request, _("Your account is deleted"), _("You are signed out."))
    return _page(request, form, player)


def _left(form: LeaveForm, user: User) -> bool:
    def deed() -> None:
        delete_account(user, form.cleaned_data.get("player", KEEP), clock.now())

    return run_or_add_error(form, deed, translate=_said)


def _said(detail: str) -> str:
    """A refusal in the reader's language, whether it is one of the boards' or of the accounts'."""
    return _(translated(detail))


def _page(request: HttpRequest, form: LeaveForm, player: Player | None) -> HttpResponse:
    return render(request, "leaderboards/account_delete.html", {"form": form, "player": player})
