"""The account page: the user's linked player, or the form to link one."""

from typing import cast

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.services.mails.owner_notices import is_mail_sent
from accounts.views.page_helpers import next_url, sign_in_required
from foundation import clock
from foundation.errors import RateLimited, SunwiError
from foundation.translate import translated
from foundation.users import User
from leaderboards.errors import AlreadyLinked, BadLinkCode
from leaderboards.models import Player
from leaderboards.selectors.visibility.restrictions import NOT_EXCLUDED, exclusion_of
from leaderboards.services.players import link


class LinkForm(forms.Form):
    """The form for the one-time code that the game shows."""

    code = forms.CharField(label=gettext_lazy("Link code"), max_length=32)


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the linked player; redeem a link code on POST, and go on to ``next``, the page that needed a player."""
    user = cast("User", request.user)
    form = LinkForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _redeem(form, user):
        return redirect(next_url(request, reverse("account")))
    player = Player.objects.filter(user=user).first()
    context = {
        "form": form,
        "player": player,
        "hidden_on": exclusion_of(player) if player else NOT_EXCLUDED,
        "has_mail": is_mail_sent(),
    }
    return render(request, "leaderboards/account.html", context)


def _redeem(form: LinkForm, user: User) -> bool:
    try:
        link.redeem(form.cleaned_data["code"], user, clock.now())
    except RateLimited:
        raise  # the middleware answers it with a page
    except SunwiError as error:
        form.add_error("code", _refusal_text(error))
        return False
    return True


def _refusal_text(error: SunwiError) -> str:
    """Return the refusal in the reader's language."""
    if isinstance(error, BadLinkCode):
        return _("This code is not known, was used, or is older than ten minutes. Ask the game for a new one.")
    if isinstance(error, AlreadyLinked):
        return _("You, or this player, are linked already. A player belongs to one account, and an account to one.")
    return translated(error.detail)
