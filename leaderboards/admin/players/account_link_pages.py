"""Which account a player belongs to, changed by hand: a page of its own, for whoever may erase players.

Whoever has the account downloads all that is kept of the player, and erases them with the account. So changing it is as
grave as erasing, and changing players (a name, a ban) is not enough; a game links by codes
(``services/players/link.py``).
"""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.reauth import require_recent_proof
from foundation import clock
from foundation.http.client_address import signed_in
from leaderboards.admin.base.paging import PhraseSearchAdmin
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview
from leaderboards.admin.players.action_pages import name_and_id
from leaderboards.models import Player
from leaderboards.services.players.link import LINK_PERMISSION, link_by_hand


class AccountForm(forms.Form):
    """The account, by its whole name; none takes the player away from theirs. It must not have another player."""

    account = forms.CharField(
        label=_lazy("Account"), max_length=150, required=False, help_text=_lazy("Its whole name; leave empty for none.")
    )

    def __init__(self, *args: Any, player: Player, **more: Any) -> None:
        super().__init__(*args, **more)
        self._player = player

    def clean_account(self) -> User | None:
        """Somebody whom there is, and who has no other player."""
        typed = self.cleaned_data["account"]
        found = User.objects.filter(username=typed).first() if typed else None
        if typed and found is None:
            raise ValidationError(_("There is no account %(account)s.") % {"account": typed})
        other = Player.objects.filter(user=found).exclude(pk=self._player.pk).first() if found else None
        if other is not None:
            raise ValidationError(_has_another(typed, other))
        return found


class LinkPages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that gives a player to an account, or takes them from it."""

    def get_urls(self) -> list[URLPattern]:
        """A page for it, beside the others."""
        page = self.admin_site.admin_view(self.account_view)
        return [path("<int:number>/account/", page, name="leaderboards_player_account"), *super().get_urls()]

    def account_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """The account; what comes of it; and then the reason. Whoever opens it has just shown who they are."""
        if not request.user.has_perm(LINK_PERMISSION):
            raise PermissionDenied
        player = Player.objects.select_related("user").filter(pk=number).first()
        if player is None:
            raise Http404
        return require_recent_proof(request) or self._asked_for_account(request, player)

    def _asked_for_account(self, request: HttpRequest, player: Player) -> HttpResponseBase:
        def run(reason: str) -> tuple[str, str]:
            link_by_hand(player, form.cleaned_data["account"], reason, clock.trusted_now(), signed_in(request))
            return _("The account of %(player)s was changed.") % {"player": player.external_id}, back

        back = reverse("admin:leaderboards_player_change", args=[player.pk])
        title = _("Change the account: %(player)s") % {"player": player.external_id}
        question = _(
            "Whoever has the account is this player on the site: they read and download all that is kept of the "
            "player, and can erase them for good. Be sure who they are. It is undone from the audit log, an erasure is "
            "not."
        )
        form = AccountForm(request.POST or None, player=player, initial={"account": player.user or ""})

        def preview() -> list[str]:
            return _lines(player, form.cleaned_data["account"])

        return confirm_with_preview(
            self, request, PreviewedAction(title, question, form, preview, run, back, shown_state=str(player.user_id))
        )


def _has_another(account: str, other: Player) -> SafeString:
    """The refusal, with a way to the page that takes the other player from the account."""
    page = reverse("admin:leaderboards_player_account", args=[other.pk])
    link = format_html('<a href="{}">{}</a>', page, name_and_id(other))
    words = _("{account} is linked to another player, {player}: take that one from them first.")
    return format_html(words, account=account, player=link)


def _lines(player: Player, account: User | None) -> list[str]:
    """What comes of it: who loses the player, and who has them then."""
    if player.user_id == (account.pk if account else None):
        return [_("Nothing changes: it is so already.")]
    lost = [_("%(account)s loses the player.") % {"account": player.user}] if player.user else []
    if account is None:
        return [*lost, _("The player belongs to no account until a game links them again.")]
    return [*lost, _("%(account)s has the player.") % {"account": account}]
