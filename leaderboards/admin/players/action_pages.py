"""What is done to one player from their page, and to several from the list: each deed has a page that asks first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.reauth import require_recent_proof
from leaderboards.admin.base.paging import PhraseSearchAdmin
from leaderboards.admin.confirm.reason_page import ActionPrompt, reason_page
from leaderboards.models import Player

MOST_AT_ONCE = 500  # each is a field of the form that asks
MOST_WITHOUT_PROOF = 20  # beyond that, a deed for several asks for a proof of who does it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAction(ActionPrompt):
    """Whom it can be done to, and what is said of it; ``log_note`` is for the log of the admin."""

    empty_message: str | Promise
    log_note: str
    eligible_players: Callable[[], QuerySet[Player]]


# The page of a deed for these players, with the address of the way back; None once there is nothing left to ask.
Ask = Callable[[HttpRequest, Any, Sequence[Player], str], HttpResponseBase | None]


class PlayerActionPages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that all deeds share."""

    def action_urlpattern(self, action: PlayerAction, ask: Ask) -> URLPattern:
        """The deed's page for one player, beside Django's own."""

        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            player = self.get_object(request, str(number))
            if player is None:
                raise Http404
            if not self.has_change_permission(request, player):
                raise PermissionDenied
            address = reverse("admin:leaderboards_player_change", args=[number])
            return self._ask_first(
                request, action, action.eligible_players().filter(pk=number), ask, address
            ) or redirect(address)

        name = f"leaderboards_player_{action.action}"
        return path(f"<int:number>/{action.action}/", self.admin_site.admin_view(page), name=name)

    def run_for_selected(
        self, request: HttpRequest, action: PlayerAction, players: QuerySet[Player], ask: Ask
    ) -> HttpResponseBase | None:
        """The deed's page for those of ``players`` that it can be done to; None where there is nothing to ask."""
        return self._ask_first(request, action, action.eligible_players().filter(pk__in=players.values("pk")), ask, "")

    def _ask_first(
        self, request: HttpRequest, action: PlayerAction, players: QuerySet[Player], ask: Ask, back: str
    ) -> HttpResponseBase | None:
        chosen = list(players.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, _("Choose up to %(number)s players at once.") % {"number": MOST_AT_ONCE})
            return None
        if not chosen:
            messages.warning(request, str(action.empty_message))
            return None
        return _to_prove_for(request, chosen) or ask(request, action, chosen, back)

    def action_page(
        self, request: HttpRequest, action: PlayerAction, chosen: Sequence[Player], **shown: Any
    ) -> HttpResponse:
        """What is asked before the deed is done to these players; ``shown`` stands before what is common."""
        common = {
            "title": f"{action.title}: {chosen[0].external_id}" if len(chosen) == 1 else action.title,
            "names": [name_and_id(player) for player in chosen],
            "readers": _("Only those who run the site read it."),
        }
        return reason_page(self, request, action, chosen, **common | shown)

    def report_done(
        self, request: HttpRequest, action: PlayerAction, done: Sequence[Player], said: Callable[[str], str]
    ) -> None:
        """A line in the log of each, without the reason: an erasure has it in one place. ``said`` takes the names."""
        for player in done:
            self.log_change(request, player, action.log_note)
        if done:
            messages.success(request, said(", ".join(player.external_id for player in done)))
        else:
            messages.warning(request, str(action.empty_message))


def _to_prove_for(request: HttpRequest, chosen: Sequence[Player]) -> HttpResponse | None:
    """The way to the page that asks for a proof, where so many players are concerned that it is grave; else None."""
    return require_recent_proof(request) if len(chosen) > MOST_WITHOUT_PROOF else None


def name_and_id(player: Player) -> str:
    """Name and id; the id alone where there is no name."""
    return f"{player.name} ({player.external_id})" if player.name else player.external_id
