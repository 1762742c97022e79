"""A player's choice of notices: kinds, e-mail, and quiet hours."""

from datetime import time
from functools import cache
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from competitions.errors import BadPreference
from competitions.models import NoticeKind, Preference
from competitions.selectors.notices.preferences import preference_of
from competitions.services.notices.preferences import MUTABLE, NoticeSettings, save_preference
from competitions.views.access import player_required
from competitions.views.notices.push import push_offer
from foundation.translate import translated
from leaderboards.core.periods import zone_names
from leaderboards.models import Player

KINDS = {
    NoticeKind.FIRST_TAKEN: gettext_lazy("I take first place"),
    NoticeKind.FIRST_LOST: gettext_lazy("I lose first place"),
    NoticeKind.TOP3_ENTERED: gettext_lazy("I enter the top 3"),
    NoticeKind.TOP10_ENTERED: gettext_lazy("I enter the top 10"),
    NoticeKind.EXTENDED: gettext_lazy("a competition's end is moved"),
    NoticeKind.CANCELLED: gettext_lazy("a competition is cancelled"),
    NoticeKind.RESULT: gettext_lazy("my final place is known, or changes later"),
    NoticeKind.REWARDED: gettext_lazy("I win a reward"),
}
LANGUAGES = list(settings.LANGUAGES)
HOURS = [(hour, time(hour).strftime("%H:%M")) for hour in range(24)]


@cache
def _zones() -> list[str]:
    return sorted(zone for zone in zone_names() if "/" in zone or zone == "UTC")


class PreferenceForm(forms.Form):
    """The form. It lists the wanted kinds; the model stores the muted ones."""

    told = forms.MultipleChoiceField(
        label=gettext_lazy("Tell me when"),
        choices=[(kind.value, KINDS[kind]) for kind in MUTABLE],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    by_mail = forms.BooleanField(label=gettext_lazy("Send me e-mails too"), required=False)
    language = forms.ChoiceField(
        label=gettext_lazy("E-mails in"),
        choices=[("", gettext_lazy("the site's language")), *LANGUAGES],
        required=False,
    )
    timezone = forms.CharField(label=gettext_lazy("My time zone"), required=False, max_length=64)
    quiet_from = forms.TypedChoiceField(label=gettext_lazy("Quiet from"), choices=HOURS, coerce=int)
    quiet_until = forms.TypedChoiceField(label=gettext_lazy("until"), choices=HOURS, coerce=int)

    def wishes(self) -> NoticeSettings:
        """Return the settings for the service."""
        typed = dict(self.cleaned_data)
        told = set(typed.pop("told"))
        return NoticeSettings(muted=[kind for kind in MUTABLE if kind.value not in told], **typed)


@require_http_methods(["GET", "HEAD", "POST"])
@player_required
def preferences(request: HttpRequest, player: Player) -> HttpResponse:
    """Show the preferences; save them on POST."""
    form = PreferenceForm(request.POST if request.method == "POST" else None, initial=_initial(preference_of(player)))
    if form.is_valid() and _keep(form, player):
        messages.success(request, _("Saved."))
        return redirect("inbox-settings")
    context = {"form": form, "zones": _zones(), "player": player, **push_offer(player)}
    return render(request, "competitions/preferences.html", context)


def _initial(preference: Preference) -> dict[str, Any]:
    return {
        "told": [kind.value for kind in MUTABLE if kind.value not in preference.muted],
        "by_mail": preference.by_mail,
        "language": preference.language,
        "timezone": preference.timezone,
        "quiet_from": preference.quiet_from,
        "quiet_until": preference.quiet_until,
    }


def _keep(form: PreferenceForm, player: Player) -> bool:
    try:
        save_preference(player, form.wishes())
    except BadPreference as error:
        words = _("There is no such time zone.") if error.field == "timezone" else translated(error.detail)
        form.add_error(error.field if error.field in form.fields else None, words)
        return False
    return True
