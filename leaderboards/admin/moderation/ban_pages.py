"""The pages that ban players and lift bans, with a preview and a reason, for one player or several.

The first request (POST from the list, or a link from the player's page) shows the page, the second acts. The player's
page lists all bans.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.http.client_address import signed_in
from leaderboards.admin.confirm.reason_page import confirmed_reason
from leaderboards.admin.moderation.ban_preview import ban_preview_lines
from leaderboards.admin.players.action_pages import PlayerAction, PlayerActionPages
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban, can_be_banned, can_be_unbanned, unban

_PAGE = "admin/leaderboards/player/ban.html"

Service = Callable[[list[int], str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ban(PlayerAction):
    """Ban or unban: the service that does it, and the message afterwards."""

    is_ban: bool
    done: str | Promise
    run: Service


_BAN = _Ban(
    action="ban",
    is_ban=True,
    title=_lazy("Ban"),
    question=_lazy(
        "They are shown nowhere any more: on no board, in no competition, also where it is over. What they submit "
        "from now on is refused. Their scores are kept, so they have their places back once the ban is lifted."
    ),
    empty_message=_lazy("All of the selected are banned already: nothing was done."),
    done=_lazy("Banned: %(names)s."),
    log_note="Banned.",
    eligible_players=can_be_banned,
    run=ban,
)
_LIFT = _Ban(
    action="unban",
    is_ban=False,
    title=_lazy("Lift the ban"),
    question=_lazy("They have their places back, and what they submit is taken again."),
    empty_message=_lazy("None of the selected is banned: nothing was done."),
    done=_lazy("Let in again: %(names)s."),
    log_note="Let in again.",
    eligible_players=can_be_unbanned,
    run=unban,
)


class BanPages(PlayerActionPages):
    """The part of the players' admin that bans and unbans."""

    actions: Sequence[str] = ("ban", "unban")
    change_form_template = "admin/leaderboards/player/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        """Add a page to ban and one to unban."""
        return [*(self.action_urlpattern(action, self._ask_ban) for action in (_BAN, _LIFT)), *super().get_urls()]

    @admin.display(description=_lazy("bans so far"))
    def record(self, player: Player) -> SafeString | str:
        """List all bans and their ends: when, by whom, why; "-" without any."""
        rows = player.ban_records.select_related("by")
        lines = ((in_utc(row.at), row.get_kind_display(), row.by or "-", row.reason or "-") for row in rows)
        return format_html_join("", "{} · {} · {} · {}<br>", lines) or "-"

    @admin.action(description=_lazy("Ban the selected players"), permissions=["change"])
    def ban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """Ban players: they are hidden everywhere, and their submissions are refused."""
        return self.run_for_selected(request, _BAN, players, self._ask_ban)

    @admin.action(description=_lazy("Lift the ban of the selected players"), permissions=["change"])
    def unban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """Unban players: they have their places back, and their submissions are accepted again."""
        return self.run_for_selected(request, _LIFT, players, self._ask_ban)

    def _ask_ban(
        self, request: HttpRequest, action: _Ban, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        numbers = [player.pk for player in chosen]
        if reason := confirmed_reason(request):
            done = action.run(numbers, reason, clock.trusted_now(), signed_in(request))
            self.report_done(request, action, done, lambda names: str(action.done) % {"names": names})
            return None
        lines = ban_preview_lines(numbers, banned=action.is_ban)
        return self.action_page(request, action, chosen, template=_PAGE, rows=lines, back=back)
