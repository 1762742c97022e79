"""Bans in the admin: a page that says what comes of it and asks for a reason, for one player and for several.

The page takes two posts, or a link and a post: the first shows, the second does it. What was done stands at the player.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.fresh import to_prove
from foundation import clock
from foundation.client import signed_in
from leaderboards.admin.ban_lines import if_banned_in_words
from leaderboards.admin.paging import PhraseSearch
from leaderboards.admin.sentences import in_utc
from leaderboards.models import Player
from leaderboards.services.ban import LONGEST_REASON, ban, can_be_banned, can_be_let_in, lift

MOST_AT_ONCE = 500  # each is a field of the form that asks
MOST_UNPROVED = 20  # beyond that, a deed for several asks for a proof of who does it

Service = Callable[[list[int], str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True)
class _Deed:
    """A ban or its end: how it is called, whom it can be done to, what does it, and what is said then."""

    slug: str
    is_ban: bool
    title: str | Promise
    question: str | Promise
    nobody: str | Promise
    done: str | Promise
    noted: str
    whom: Callable[[], QuerySet[Player]]
    run: Service


_BAN = _Deed(
    slug="ban",
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
_LIFT = _Deed(
    slug="unban",
    is_ban=False,
    title=_lazy("Lift the ban"),
    question=_lazy("They have their places back, and what they submit is taken again."),
    nobody=_lazy("None of the selected is banned: nothing was done."),
    done=_lazy("Let in again: %(names)s."),
    noted="Let in again.",
    whom=can_be_let_in,
    run=lift,
)


class BanPages(PhraseSearch[Player]):
    """The part of the players' admin that bans."""

    actions: Sequence[str] = ("ban", "unban")
    change_form_template = "admin/leaderboards/player/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        """A page for a ban and one for its end, beside Django's own."""
        pages = [
            path(f"<int:number>/{deed.slug}/", self._page_of(deed), name=f"leaderboards_player_{deed.slug}")
            for deed in (_BAN, _LIFT)
        ]
        return [*pages, *super().get_urls()]

    def _page_of(self, deed: _Deed) -> Any:
        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            return self._one(request, deed, number)

        return self.admin_site.admin_view(page)

    @admin.display(description=_lazy("bans so far"))
    def record(self, player: Player) -> SafeString | str:
        """Who banned them and let them in again, when and why; a dash where nobody has."""
        rows = player.ban_records.select_related("by")
        lines = ((in_utc(row.at), row.get_kind_display(), row.by or "-", row.reason or "-") for row in rows)
        return format_html_join("", "{} · {} · {} · {}<br>", lines) or "-"

    @admin.action(description=_lazy("Ban the selected players"), permissions=["change"])
    def ban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """They are shown nowhere, and what they submit from now on is refused."""
        return self._several(request, _BAN, players)

    @admin.action(description=_lazy("Lift the ban of the selected players"), permissions=["change"])
    def unban(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """They have their places back, and submissions are taken again."""
        return self._several(request, _LIFT, players)

    def _one(self, request: HttpRequest, deed: _Deed, number: int) -> HttpResponseBase:
        player = self.get_object(request, str(number))
        if player is None:
            raise Http404
        if not self.has_change_permission(request, player):
            raise PermissionDenied
        address = reverse("admin:leaderboards_player_change", args=[number])
        chosen = list(deed.whom().filter(pk=number))
        if not chosen:
            messages.warning(request, str(deed.nobody))
            return redirect(address)
        return self._asked_or_done(request, deed, chosen, address) or redirect(address)

    def _several(self, request: HttpRequest, deed: _Deed, players: QuerySet[Player]) -> HttpResponseBase | None:
        chosen = list(deed.whom().filter(pk__in=players.values("pk")).order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, _("Choose up to %(number)s players at once.") % {"number": MOST_AT_ONCE})
            return None
        if not chosen:
            messages.warning(request, str(deed.nobody))
            return None
        return to_prove_for(request, chosen) or self._asked_or_done(request, deed, chosen, "")

    def _asked_or_done(
        self, request: HttpRequest, deed: _Deed, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        reason = request.POST.get("reason", "").strip()
        if "confirmed" in request.POST and 1 <= len(reason) <= LONGEST_REASON:
            self._do(request, deed, chosen, reason)
            return None
        numbers = [player.pk for player in chosen]
        context = {
            **self.admin_site.each_context(request),
            "title": f"{deed.title}: {chosen[0].external_id}" if len(chosen) == 1 else deed.title,
            "question": deed.question,
            "names": [full_name(player) for player in chosen],
            "rows": if_banned_in_words(numbers, banned=deed.is_ban),
            "chosen": chosen,
            "action": deed.slug,
            "confirm": _("Yes: %(title)s") % {"title": deed.title},
            "back": back,
            "longest": LONGEST_REASON,
            "readers": _("Only those who run the site read it."),
            "reason": reason,
            "missing": "confirmed" in request.POST,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/leaderboards/player/ban.html", context)

    def _do(self, request: HttpRequest, deed: _Deed, chosen: Sequence[Player], reason: str) -> None:
        done = deed.run([player.pk for player in chosen], reason, clock.agreed(), signed_in(request))
        for player in done:
            self.log_change(request, player, deed.noted)  # without the reason: an erasure has it in one place
        if not done:
            messages.warning(request, str(deed.nobody))
            return
        messages.success(request, str(deed.done) % {"names": ", ".join(player.external_id for player in done)})


def to_prove_for(request: HttpRequest, chosen: Sequence[Player]) -> HttpResponse | None:
    """The way to the page that asks for a proof, where so many players are concerned that it is grave; else None."""
    return to_prove(request) if len(chosen) > MOST_UNPROVED else None


def full_name(player: Player) -> str:
    """Name and id; the id alone where there is no name."""
    return f"{player.name} ({player.external_id})" if player.name else player.external_id
