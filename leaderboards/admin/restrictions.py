"""Hiding, shadowing and banning from a board in the admin: a page that takes what and where, says what comes of it and
asks for a reason; and one for the end of it. For one player and for several. What was done stands at the player.

The trap: what was shown must be what is done, so the button names the choice that was shown, and another choice is
shown before it is done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation import clock
from foundation.client import signed_in
from leaderboards.admin.ban_lines import if_banned_in_words
from leaderboards.admin.bans import MOST_AT_ONCE, BanPages, full_name, to_prove_for
from leaderboards.admin.restrict_forms import (
    LiftForm,
    RestrictForm,
    done_in_words,
    lifted_in_words,
    on_in_words,
    to_do_in_words,
    to_lift_in_words,
)
from leaderboards.models import Player
from leaderboards.selectors.restrictions import can_come_back, shown
from leaderboards.services.ban import LONGEST_REASON
from leaderboards.services.restrict import What, can_be_restricted, lift_from, restrict

_Form = RestrictForm | LiftForm
_Run = Callable[[list[int], What, str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True)
class _Deed:
    """A restriction or its end: how it is called, which form asks for it, what does it, and what is said then."""

    slug: str
    is_end: bool
    title: str | Promise
    question: str | Promise
    nobody: str | Promise
    to_do: Callable[[What, str], str]
    done: Callable[[What, str], str]
    noted: str
    run: _Run


_RESTRICT = _Deed(
    slug="restrict",
    is_end=False,
    title=_lazy("Hide, shadow or ban"),
    question=_lazy(
        "The hidden are shown to nobody, and are told so. The shadowed go on seeing themselves, and nobody else sees "
        "them. The banned are shown to nobody, and what they submit is refused. All others move up. Scores are kept, "
        "so places come back once it is lifted."
    ),
    nobody=_lazy("This is so for all of the selected already: nothing was done."),
    to_do=to_do_in_words,
    done=done_in_words,
    noted="Restricted.",
    run=restrict,
)
_LIFT = _Deed(
    slug="lift",
    is_end=True,
    title=_lazy("Lift a restriction"),
    question=_lazy("They are shown again with what they have, unless something else keeps them out."),
    nobody=_lazy("None of the selected is restricted like this: nothing was done."),
    to_do=to_lift_in_words,
    done=lifted_in_words,
    noted="Restriction lifted.",
    run=lift_from,
)


class RestrictionPages(BanPages):
    """The part of the players' admin that restricts, on one board or on all."""

    actions: Sequence[str] = (*BanPages.actions, "restrict", "lift")

    def get_urls(self) -> list[URLPattern]:
        """A page for a restriction and one for its end."""
        pages = [
            path(f"<int:number>/{deed.slug}/", self._restriction_page(deed), name=f"leaderboards_player_{deed.slug}")
            for deed in (_RESTRICT, _LIFT)
        ]
        return [*pages, *super().get_urls()]

    def _restriction_page(self, deed: _Deed) -> Any:
        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            return self._for_one(request, deed, number)

        return self.admin_site.admin_view(page)

    @admin.display(description=_lazy("restrictions so far"))
    def restrictions(self, player: Player) -> SafeString | str:
        """What moderators kept from them, where, by whom, when and why, and who lifted it; a dash for nothing."""
        rows = player.restrictions.select_related("by", "lifted_by", "board")
        return format_html_join("", "{} · {} · {} · {}{}<br>", map(on_in_words, rows)) or "-"

    @admin.action(description=_lazy("Hide, shadow or ban the selected players"), permissions=["change"])
    def restrict(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """On one board or on all."""
        return self._for_several(request, _RESTRICT, players)

    @admin.action(description=_lazy("Lift a restriction of the selected players"), permissions=["change"])
    def lift(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """One kind, on one board or on all."""
        return self._for_several(request, _LIFT, players)

    def _for_one(self, request: HttpRequest, deed: _Deed, number: int) -> HttpResponseBase:
        player = self.get_object(request, str(number))
        if player is None:
            raise Http404
        if not self.has_change_permission(request, player):
            raise PermissionDenied
        address = reverse("admin:leaderboards_player_change", args=[number])
        return self._asked_or_restricted(request, deed, [player], address) or redirect(address)

    def _for_several(self, request: HttpRequest, deed: _Deed, players: QuerySet[Player]) -> HttpResponseBase | None:
        chosen = list(Player.objects.filter(pk__in=players.values("pk")).order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, _("Choose up to %(number)s players at once.") % {"number": MOST_AT_ONCE})
            return None
        return to_prove_for(request, chosen) or self._asked_or_restricted(request, deed, chosen, "")

    def _asked_or_restricted(
        self, request: HttpRequest, deed: _Deed, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        """The page, or None once it is done or there is nothing to do."""
        numbers = [player.pk for player in chosen]
        form = _form_of(deed, request, numbers)
        if isinstance(form, LiftForm) and form.is_empty:
            messages.warning(request, str(deed.nobody))
            return None
        what = form.what()
        reason = request.POST.get("reason", "").strip()
        wants = "confirmed" in request.POST and "look" not in request.POST
        is_seen = what is not None and request.POST.get("seen") == what.mark
        if what is not None and wants and is_seen and 1 <= len(reason) <= LONGEST_REASON:
            self._run(request, deed, numbers, what, reason)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": f"{deed.title}: {chosen[0].external_id}" if len(chosen) == 1 else deed.title,
            "question": deed.question,
            "names": [full_name(player) for player in chosen],
            "rows": None if what is None else _lines(deed, numbers, what),
            "of_what": deed.to_do(what, _whom(chosen)) if what else "",
            "chosen": chosen,
            "action": deed.slug,
            "confirm": _("Yes: %(title)s") % {"title": deed.to_do(what, _whom(chosen))} if what else "",
            "back": back,
            "longest": LONGEST_REASON,
            "readers": _("Only those who run the site read it."),
            "reason": reason,
            "missing": wants and is_seen,
            "is_other": wants and what is not None and not is_seen,
            "seen": what.mark if what else "",
            "form": form,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/leaderboards/player/restrict.html", context)

    def _run(self, request: HttpRequest, deed: _Deed, numbers: list[int], what: What, reason: str) -> None:
        done = deed.run(numbers, what, reason, clock.agreed(), signed_in(request))
        for player in done:
            self.log_change(request, player, deed.noted)  # without the reason: an erasure has it in one place
        if not done:
            messages.warning(request, str(deed.nobody))
            return
        messages.success(request, deed.done(what, ", ".join(player.external_id for player in done)))


def _whom(chosen: Sequence[Player]) -> str:
    """The one by their id, several by their number."""
    if len(chosen) == 1:
        return chosen[0].external_id
    return ngettext("%(number)s player", "%(number)s players", len(chosen)) % {"number": len(chosen)}


def _form_of(deed: _Deed, request: HttpRequest, numbers: Sequence[int]) -> _Form:
    typed = request.POST if "confirmed" in request.POST else None
    return LiftForm(typed, players=numbers) if deed.is_end else RestrictForm(typed)


def _lines(deed: _Deed, numbers: Sequence[int], what: What) -> list[str]:
    """What changes: of those who are shown now, or who are shown again by the end of it."""
    board = what.board.seq if what.board else None
    if deed.is_end:
        concerned = can_come_back(numbers, what.kind, board)
    else:
        still_seen = can_be_restricted(what).filter(shown(board, ""), pk__in=numbers)
        concerned = list(still_seen.values_list("pk", flat=True))
    if not concerned:
        return [_("Something else keeps them out already: no ranking changes.")]
    return if_banned_in_words(concerned, banned=not deed.is_end, board=board)
