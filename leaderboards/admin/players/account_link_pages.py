"""The page that links a player to another account by hand; it needs the permission to erase players.

The owner of the account can download all data of the player, and erase the player. So the permission to change players
is not enough. Games link players by codes instead (``services/players/link.py``).
"""

from typing import Any

from django import forms
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
from foundation.users import User, find_by_name
from leaderboards.admin.base.paging import PhraseSearchAdmin
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview
from leaderboards.admin.wording.names import name_and_id
from leaderboards.models import Player
from leaderboards.services.players.link import LINK_PERMISSION, link_by_hand


class AccountForm(forms.Form):
    """The account by its full name, empty to unlink the player. The account must not have another player."""

    account = forms.CharField(
        label=_lazy("Account"), max_length=254, required=False, help_text=_lazy("Its whole name; leave empty for none.")
    )

    def __init__(self, *args: Any, player: Player, **more: Any) -> None:
        super().__init__(*args, **more)
        self._player = player

    def clean_account(self) -> User | None:
        """Return the account; refuse an unknown one, and one with another player."""
        name = self.cleaned_data["account"]
        account = find_by_name(name) if name else None
        if name and account is None:
            raise ValidationError(_("There is no account %(account)s.") % {"account": name})
        other = Player.objects.filter(user=account).exclude(pk=self._player.pk).first() if account else None
        if other is not None:
            raise ValidationError(_linked_to_another(name, other))
        return account


class LinkPages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that links and unlinks accounts."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.account_view)
        return [path("<int:number>/account/", page, name="leaderboards_player_account"), *super().get_urls()]

    def account_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """Ask for the account, preview the change, and ask for a reason; needs a recent sign-in."""
        if not request.user.has_perm(LINK_PERMISSION):
            raise PermissionDenied
        player = Player.objects.select_related("user").filter(pk=number).first()
        if player is None:
            raise Http404
        return require_recent_proof(request) or self._link_page(request, player)

    def _link_page(self, request: HttpRequest, player: Player) -> HttpResponseBase:
        def run(reason: str) -> tuple[str, str]:
            link_by_hand(player, form.cleaned_data["account"], reason, clock.trusted_now(), signed_in(request))
            return _("The account of %(player)s was changed.") % {"player": player.external_id}, back

        back = reverse("admin:leaderboards_player_change", args=[player.pk])
        title = _("Change the account: %(player)s") % {"player": player.external_id}
        question = _(
            "The owner of the account is this player on the site: they read and download all that is kept of the "
            "player, and can erase them for good. Be sure who they are. It is undone from the audit log, an erasure is "
            "not."
        )
        form = AccountForm(request.POST or None, player=player, initial={"account": player.user or ""})

        def preview() -> list[str]:
            return _preview_lines(player, form.cleaned_data["account"])

        return confirm_with_preview(
            self, request, PreviewedAction(title, question, form, preview, run, back, shown_state=str(player.user_id))
        )


def _linked_to_another(account: str, other: Player) -> SafeString:
    """Return the refusal, with a link to the page that unlinks the other player."""
    page = reverse("admin:leaderboards_player_account", args=[other.pk])
    link = format_html('<a href="{}">{}</a>', page, name_and_id(other))
    words = _("{account} is linked to another player, {player}: take that one from them first.")
    return format_html(words, account=account, player=link)


def _preview_lines(player: Player, account: User | None) -> list[str]:
    """Describe which account loses the player, and which one gets the player."""
    if player.user_id == (account.pk if account else None):
        return [_("Nothing changes: it is so already.")]
    losing = [_("%(account)s loses the player.") % {"account": player.user}] if player.user else []
    if account is None:
        return [*losing, _("The player belongs to no account until a game links them again.")]
    return [*losing, _("%(account)s has the player.") % {"account": account}]
