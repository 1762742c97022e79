"""Anonymising a player, or erasing them for good, in the admin: what comes of it, the id typed once more, and a right
of its own. Both make them a number; they differ in what becomes of scores in periods that are not final."""

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from accounts.reauth import require_recent_proof
from foundation import clock
from leaderboards.admin.base.paging import PhraseSearchAdmin
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview, describe_rank_moves
from leaderboards.models import Player
from leaderboards.selectors.previews.erasure import ErasurePreview, preview_erasure
from leaderboards.services.players.erase import erase_player

ANONYMISE, ERASE = "anonymise", "erase"


class EraseForm(forms.Form):
    """Which of both, and the player's id, typed by the one who means it."""

    how = forms.ChoiceField(
        label=_lazy("What becomes of scores that are not final"),
        choices=(
            (ANONYMISE, _lazy("Anonymise: every score stays, under a number; only once all their periods are final")),
            (ERASE, _lazy("Erase for good: they are taken out of every period that runs")),
        ),
        widget=forms.RadioSelect,
    )
    typed = forms.CharField(label=_lazy("The player's id, once more"), max_length=64, strip=False)

    def __init__(self, player: Player, typed: Any = None) -> None:
        super().__init__(typed)
        self._player = player

    def clean_typed(self) -> str:
        """Theirs, to the letter."""
        typed: str = self.cleaned_data["typed"]
        if typed != self._player.external_id:
            raise ValidationError(
                _("This is not the id of the player: type %(id)s.") % {"id": self._player.external_id}
            )
        return typed


class ErasePages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that erases."""

    def get_urls(self) -> list[URLPattern]:
        """A page for it, beside the others."""
        page = self.admin_site.admin_view(self.erase_view)
        return [path("<int:number>/erase/", page, name="leaderboards_player_erase"), *super().get_urls()]

    def erase_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """The id; what comes of it; and then the reason. Anybody who opens it has just shown who they are."""
        if not request.user.has_perm("leaderboards.erase_player"):
            raise PermissionDenied
        player = Player.objects.filter(pk=number).first()
        if player is None:
            raise Http404
        return require_recent_proof(request) or self._asked(request, player)

    def _asked(self, request: HttpRequest, player: Player) -> HttpResponseBase:
        def run(reason: str) -> tuple[str, str]:
            keeps = form.cleaned_data["how"] == ANONYMISE
            erased = erase_player(player.external_id, clock.now(), reason, keep_scores=keeps)
            done = (
                _("Anonymised: the player is %(player)s from now on.")
                if keeps
                else _("Erased for good: the player is %(player)s from now on.")
            )
            return done % {"player": erased.player}, back

        back = reverse("admin:leaderboards_player_change", args=[player.pk])
        question = _(
            "Neither can be undone. Name, avatar, country and account are cleared, their words and likes go, and what "
            "is final stays in its place under a number. Whoever submits under the old id afterwards is a new player. "
            "Do not write into the reason who they were: it stays."
        )
        title = _title(request.POST.get("how")) % {"player": player.external_id}
        form = EraseForm(player, request.POST or None)
        return confirm_with_preview(
            self,
            request,
            PreviewedAction(title, question, form, lambda: _lines(form, preview_erasure(player)), run, back),
        )


def _title(how: str | None) -> str:
    if how == ANONYMISE:
        return _("Anonymise: %(player)s")
    return _("Erase for good: %(player)s") if how == ERASE else _("Anonymise or erase: %(player)s")


def _lines(form: forms.Form, found: ErasurePreview) -> list[str]:
    """What comes of the choice in the form."""
    finals = ngettext(
        "%(number)s final place stays under a number.", "%(number)s final places stay under a number.", found.finals
    ) % {"number": found.finals}
    if form.cleaned_data["how"] == ANONYMISE:
        return [*_in_the_way(found.standings), finals]
    standings = ngettext(
        "They are taken out of %(number)s open period.",
        "They are taken out of %(number)s open periods.",
        found.standings,
    )
    lines = [standings % {"number": found.standings}, finals]
    return [*lines, *([describe_rank_moves(found.moves)] if found.moves is not None else [])]


def _in_the_way(standings: int) -> list[str]:
    if not standings:
        return [_("No rank changes.")]
    refused = ngettext(
        "They have a score in %(number)s open period: until that is final, this is refused. Hide them meanwhile.",
        "They have scores in %(number)s open periods: until these are final, this is refused. Hide them meanwhile.",
        standings,
    )
    return [refused % {"number": standings}]
