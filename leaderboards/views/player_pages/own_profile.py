"""One's own profile: name, face, country, language, theme and time zone, on one page.

Language and theme are kept by the browser, in cookies, and apply to an account without a player too. The language of
e-mails and the time zone are kept by the app that needs them.
"""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext_lazy, override, pgettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.views.page_helpers import sign_in_required
from foundation import clock
from foundation.errors import RateLimited, SunwiError
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated
from foundation.users import User
from leaderboards.core.input.profiles import LONGEST_NAME, LONGEST_URL
from leaderboards.core.periods import zone_names
from leaderboards.countries import countries
from leaderboards.models import Player
from leaderboards.services.players.own_profile import (
    Correspondence,
    change_own_profile,
    correspondence_of,
    editable_fields,
)
from leaderboards.views.http.theme import THEME_COOKIE, chosen_theme
from leaderboards.views.http.viewer import YEAR

CORRESPONDENCE = ("mail_language", "timezone")


class ProfileForm(forms.Form):
    """The profile of a user. Fields that they cannot change are left out."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME, required=False)
    avatar_url = forms.CharField(label=gettext_lazy("Address of a picture"), max_length=LONGEST_URL, required=False)
    country = forms.ChoiceField(label=gettext_lazy("Country"), required=False)
    language = forms.ChoiceField(label=gettext_lazy("Language of this site"), choices=settings.LANGUAGES)
    mail_language = forms.ChoiceField(
        label=gettext_lazy("E-mails in"),
        choices=[("", gettext_lazy("the site's language")), *settings.LANGUAGES],
        required=False,
    )
    theme = forms.ChoiceField(
        label=gettext_lazy("Theme"),
        choices=[
            ("", pgettext_lazy("a theme", "as my device")),
            ("light", pgettext_lazy("a theme", "light")),
            ("dark", pgettext_lazy("a theme", "dark")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    timezone = forms.CharField(label=gettext_lazy("My time zone"), required=False, max_length=64)

    def __init__(self, *args: Any, player: Player | None, correspondence: Correspondence | None, **named: Any) -> None:
        super().__init__(*args, **named)
        known = countries(get_language() or "en")
        other = player.country if player and player.country not in dict(known) else ""  # as the game called it
        choices = [("", gettext_lazy("none")), *([(other, other)] if other else []), *known]
        self.fields["country"].choices = choices  # type: ignore[attr-defined]  # it is a choice field
        of_player = [
            each for each in ("name", "avatar_url", "country") if player is None or each not in editable_fields()
        ]
        for field in [*of_player, *(CORRESPONDENCE if correspondence is None else ())]:
            del self.fields[field]

    @property
    def profile(self) -> dict[str, str]:
        """The columns of the player that were sent."""
        return {each: self.cleaned_data[each] for each in ("name", "avatar_url", "country") if each in self.fields}

    @property
    def correspondence(self) -> Correspondence | None:
        """The language of e-mails and the time zone, if they can be changed."""
        if "timezone" not in self.fields:
            return None
        return Correspondence(*(self.cleaned_data[each] for each in CORRESPONDENCE))


@never_cache
@sign_in_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_profile(request: HttpRequest) -> HttpResponse:
    """Show the form; save it on POST."""
    user = cast("User", request.user)
    player = Player.objects.filter(user=user).first()
    correspondence = correspondence_of(player) if player else None
    form = ProfileForm(
        request.POST if request.method == "POST" else None,
        player=player,
        correspondence=correspondence,
        initial=_initial(request, player, correspondence),
    )
    if form.is_valid() and _save(form, user, player):
        return _saved(request, form)
    zones = sorted(zone for zone in zone_names() if "/" in zone or zone == "UTC") if correspondence else []
    context = {"form": form, "player": player, "zones": zones, "hosts": sunwi_settings.PICTURE_HOSTS}
    return render(request, "leaderboards/own_profile.html", context)


def _initial(request: HttpRequest, player: Player | None, correspondence: Correspondence | None) -> dict[str, str]:
    initial = {"language": get_language() or settings.LANGUAGE_CODE, "theme": chosen_theme(request.COOKIES)}
    if player is not None:
        initial |= {"name": player.name, "avatar_url": player.avatar_url, "country": player.country}
    if correspondence is not None:
        initial |= {"mail_language": correspondence.language, "timezone": correspondence.timezone}
    return initial


def _save(form: ProfileForm, user: User, player: Player | None) -> bool:
    if player is None:
        return True
    try:
        throttle("profile", user.pk)
        change_own_profile(player, form.profile, form.correspondence, clock.now())
    except RateLimited:
        raise  # the middleware answers it with a page
    except SunwiError as error:
        field = getattr(error, "field", "")
        words = _("There is no such time zone.") if field == "timezone" else translated(error.detail)
        form.add_error(field if field in form.fields else None, words)
        return False
    return True


def _saved(request: HttpRequest, form: ProfileForm) -> HttpResponse:
    """Go back to the form, with language and theme in cookies."""
    language, theme = form.cleaned_data["language"], form.cleaned_data["theme"]
    with override(language):
        messages.success(request, _("Saved."))
    response = redirect("own-profile")
    secure = request.is_secure()
    response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=YEAR, secure=secure, samesite="Lax")
    if theme:
        response.set_cookie(THEME_COOKIE, theme, max_age=YEAR, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
