"""The page that anonymises a player or erases them for good: a preview, the id typed again, a permission of its own.

Both replace the player by a number; they differ in what happens to scores in periods that are not final.
"""

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
    """Anonymise or erase, and the player's id as a confirmation."""

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
        """Refuse anything but the exact id."""
        typed: str = self.cleaned_data["typed"]
        if typed != self._player.external_id:
            raise ValidationError(
                _("This is not the id of the player: type %(id)s.") % {"id": self._player.external_id}
            )
        return typed


class ErasePages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that anonymises and erases."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.erase_view)
        return [path("<int:number>/erase/", page, name="leaderboards_player_erase"), *super().get_urls()]

    def erase_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """Ask for the id, preview the erasure, and ask for a reason; needs a recent sign-in."""
        if not request.user.has_perm("leaderboards.erase_player"):
            raise PermissionDenied
        player = Player.objects.filter(pk=number).first()
        if player is None:
            raise Http404
        return require_recent_proof(request) or self._erase_page(request, player)

    def _erase_page(self, request: HttpRequest, player: Player) -> HttpResponseBase:
        def run(reason: str) -> tuple[str, str]:
            keep_scores = form.cleaned_data["how"] == ANONYMISE
            erased = erase_player(player.external_id, clock.now(), reason, keep_scores=keep_scores)
            message = (
                _("Anonymised: the player is %(player)s from now on.")
                if keep_scores
                else _("Erased for good: the player is %(player)s from now on.")
            )
            return message % {"player": erased.player}, back

        back = reverse("admin:leaderboards_player_change", args=[player.pk])
        question = _(
            "Neither can be undone. Name, avatar, country and account are cleared, their words and likes go, and what "
            "is final stays in its place under a number. A score under the old id afterwards makes a new player. "
            "Do not write into the reason who they were: it stays."
        )
        title = _title(request.POST.get("how")) % {"player": player.external_id}
        form = EraseForm(player, request.POST or None)

        def preview() -> list[str]:
            return _preview_lines(form, preview_erasure(player))

        action = PreviewedAction(title, question, form, preview, run, back, is_grave=True)
        return confirm_with_preview(self, request, action)


def _title(how: str | None) -> str:
    if how == ANONYMISE:
        return _("Anonymise: %(player)s")
    return _("Erase for good: %(player)s") if how == ERASE else _("Anonymise or erase: %(player)s")


def _preview_lines(form: forms.Form, preview: ErasurePreview) -> list[str]:
    """Describe the effects of the choice in the form."""
    finals = ngettext(
        "%(number)s final place stays under a number.", "%(number)s final places stay under a number.", preview.finals
    ) % {"number": preview.finals}
    if form.cleaned_data["how"] == ANONYMISE:
        return [*_lines_of_anonymising(preview.standings), finals]
    standings = ngettext(
        "They are taken out of %(number)s open period.",
        "They are taken out of %(number)s open periods.",
        preview.standings,
    )
    lines = [standings % {"number": preview.standings}, finals]
    return [*lines, *([describe_rank_moves(preview.moves)] if preview.moves is not None else [])]


def _lines_of_anonymising(standings: int) -> list[str]:
    if not standings:
        return [_("No rank changes.")]
    refused = ngettext(
        "They have a score in %(number)s open period: until that is final, this is refused. Hide them meanwhile.",
        "They have scores in %(number)s open periods: until these are final, this is refused. Hide them meanwhile.",
        standings,
    )
    return [refused % {"number": standings}]
