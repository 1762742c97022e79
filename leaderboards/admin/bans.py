"""Bans in the admin: a page that says what comes of it and asks for a reason, for one player and for several.

The page takes two posts, or a link and a post: the first shows, the second does it. What was done stands at the player.
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
from foundation.client import signed_in
from leaderboards.admin.ban_lines import if_banned_in_words
from leaderboards.admin.player_deeds import Deed, DeedPages
from leaderboards.admin.reason_page import given_reason
from leaderboards.admin.sentences import in_utc
from leaderboards.models import Player
from leaderboards.services.ban import ban, can_be_banned, can_be_let_in, lift

_PAGE = "admin/leaderboards/player/ban.html"

Service = Callable[[list[int], str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ban(Deed):
    """A ban or its end: what does it, and what is said then."""

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
    nobody=_lazy("All of the selected are banned already: nothing was done."),
    done=_lazy("Banned: %(names)s."),
    noted="Banned.",
    whom=can_be_banned,
    run=ban,
)
_LIFT = _Ban(
    action="unban",
    is_ban=False,
    title=_lazy("Lift the ban"),
    question=_lazy("They have their places back, and what they submit is taken again."),
    nobody=_lazy("None of the selected is banned: nothing was done."),
    done=_lazy("Let in again: %(names)s."),
    noted="Let in again.",
    whom=can_be_let_in,
    run=lift,
)


class BanPages(DeedPages):
    """The part of the players' admin that bans."""

    actions: Sequence[str] = ("ban", "unban")
    change_form_template = "admin/leaderboards/player/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        """A page for a ban and one for its end, beside Django's own."""
        return [*(self.page_of(deed, self._ask_ban) for deed in (_BAN, _LIFT)), *super().get_urls()]

    @admin.display(description=_lazy("bans so far"))
    def record(self, player: Player) -> SafeString | str:
        """Who banned them and let them in again, when and why; a dash where nobody has."""
        rows = player.ban_records.select_related("by")
        lines = ((in_utc(row.at), row.get_kind_display(), row.by or "-", row.reason or "-") for row in rows)
        return format_html_join("", "{} · {} · {} · {}<br>", lines) or "-"

    @admin.action(description=_lazy("Ban the selected players"), permissions=["change"])
    def ban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """They are shown nowhere, and what they submit from now on is refused."""
        return self.of_several(request, _BAN, players, self._ask_ban)

    @admin.action(description=_lazy("Lift the ban of the selected players"), permissions=["change"])
    def unban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """They have their places back, and submissions are taken again."""
        return self.of_several(request, _LIFT, players, self._ask_ban)

    def _ask_ban(
        self, request: HttpRequest, deed: _Ban, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        numbers = [player.pk for player in chosen]
        if reason := given_reason(request):
            done = deed.run(numbers, reason, clock.agreed(), signed_in(request))
            self.say_done(request, deed, done, lambda names: str(deed.done) % {"names": names})
            return None
        rows = if_banned_in_words(numbers, banned=deed.is_ban)
        return self.deed_page(request, deed, chosen, template=_PAGE, rows=rows, back=back)
