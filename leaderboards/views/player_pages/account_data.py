"""Export the data of a user's account, and delete the account."""

from django import forms
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.errors import StillHidden
from accounts.views.page_helpers import proven_member_required, render_message, run_or_add_error
from foundation import clock
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated
from foundation.users import User
from leaderboards.models import Player
from leaderboards.selectors.exports.export_slots import ExportSlot
from leaderboards.selectors.player_data.account_export import account_export
from leaderboards.services.players.delete_account import ERASE, KEEP, delete_account


class LeaveForm(forms.Form):
    """Confirm the deletion. The field ``player`` is there only if the account has a player."""

    player = forms.ChoiceField(
        label=gettext_lazy("Your player"),
        choices=[
            (ERASE, gettext_lazy("Erase them too: name and picture go, and places in open periods")),
            (KEEP, gettext_lazy("Keep them: they go on in the game, linked to no account")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: object, has_player: bool) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # the arguments of Django's form, passed on
        if not has_player:
            del self.fields["player"]


@require_safe
@proven_member_required
def export(request: HttpRequest, user: User) -> HttpResponseBase:
    """Return a JSON file. 409 while a freeze hides results of the player, 429 if throttled, 503 if too many run."""
    throttle("own_data", user.pk)
    try:
        with ExportSlot():  # held until the response is built, because all data is in memory
            data = account_export(user, clock.now())
            response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 2})
    except StillHidden as error:
        return render_message(request, _("Not yet"), translated(error.detail), status=409)
    response["Content-Disposition"] = 'attachment; filename="sunwi-account.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@proven_member_required
def delete(request: HttpRequest, user: User) -> HttpResponseBase:
    """Ask for confirmation and for what becomes of the player; delete the account on POST."""
    player = Player.objects.filter(user=user).first()
    sent = (request.POST,) if request.method == "POST" else ()
    form = LeaveForm(*sent, has_player=player is not None)
    if request.method == "POST" and form.is_valid() and _delete(form, user):
        logout(request)
        return render_message(request, _("Your account is deleted"), _("You are signed out."))
    return _page(request, form, player)


def _delete(form: LeaveForm, user: User) -> bool:
    def delete_now() -> None:
        delete_account(user, form.cleaned_data.get("player", KEEP), clock.now())

    return run_or_add_error(form, delete_now)


def _page(request: HttpRequest, form: LeaveForm, player: Player | None) -> HttpResponse:
    return render(request, "leaderboards/account_delete.html", {"form": form, "player": player})
