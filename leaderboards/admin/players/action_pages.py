"""Actions on one player (from their page) or several (from the list), each with a page that asks for confirmation."""

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
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.wording.names import name_and_id
from leaderboards.models import Player

MOST_AT_ONCE = 500  # each player is a field of the confirmation form
MOST_WITHOUT_PROOF = 20  # an action on more players needs a recent sign-in


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAction(ActionPrompt):
    """An action on players: which ones are eligible, the message if none is, and the note in Django's admin log."""

    empty_message: str | Promise
    log_note: str
    eligible_players: Callable[[], QuerySet[Player]]


# Returns the page of an action for these players, with a URL to go back to; None once the action is done.
Ask = Callable[[HttpRequest, Any, Sequence[Player], str], HttpResponseBase | None]


class PlayerActionPages(PhraseSearchAdmin[Player]):
    """The part of the players' admin that all actions share."""

    def action_urlpattern(self, action: PlayerAction, ask: Ask) -> URLPattern:
        """Return the URL of the action's page for one player."""

        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            player = self.get_object(request, str(number))
            if player is None:
                raise Http404
            if not self.has_change_permission(request, player):
                raise PermissionDenied
            back = reverse("admin:leaderboards_player_change", args=[number])
            players = action.eligible_players().filter(pk=number)
            return self._ask_first(request, action, players, ask, back) or redirect(back)

        name = f"leaderboards_player_{action.action}"
        return path(f"<int:number>/{action.action}/", self.admin_site.admin_view(page), name=name)

    def run_for_selected(
        self, request: HttpRequest, action: PlayerAction, players: QuerySet[Player], ask: Ask
    ) -> HttpResponseBase | None:
        """Return the action's page for the eligible ones of ``players``; None if there is nothing to ask."""
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
        proof_page = require_recent_proof(request) if len(chosen) > MOST_WITHOUT_PROOF else None
        return proof_page or ask(request, action, chosen, back)

    def action_page(
        self, request: HttpRequest, action: PlayerAction, chosen: Sequence[Player], **shown: Any
    ) -> HttpResponse:
        """Return the page that asks for confirmation; ``shown`` adds to the context, and overrides it."""
        common = {
            "title": f"{action.title}: {name_and_id(chosen[0])}" if len(chosen) == 1 else action.title,
            "names": [name_and_id(player) for player in chosen],
            "readers": _("Only those who run the site read it."),
        }
        return reason_page(self, request, action, chosen, **common | shown)

    def report_done(
        self, request: HttpRequest, action: PlayerAction, done: Sequence[Player], message: Callable[[str], str]
    ) -> None:
        """Log the action for each player and show a message; ``message`` makes the text from the names.

        Without the reason, which is only stored in one place, so that an erasure can find it.
        """
        for player in done:
            self.log_change(request, player, action.log_note)
        if done:
            messages.success(request, with_undo_link(request, message(", ".join(map(name_and_id, done)))))
        else:
            messages.warning(request, str(action.empty_message))
