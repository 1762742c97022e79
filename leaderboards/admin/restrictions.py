"""Hiding, shadowing and banning from a board in the admin: a page that takes what and where, says what comes of it and
asks for a reason; and one for the end of it. For one player and for several. What was done stands at the player.

The trap: what was shown must be what is done, so the button names the choice that was shown, and another choice is
shown before it is done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation import clock
from foundation.client import signed_in
from foundation.numbers import whole_number
from leaderboards.admin.ban_lines import if_banned_in_words
from leaderboards.admin.bans import BanPages
from leaderboards.admin.event_looks import who_hides
from leaderboards.admin.player_deeds import Deed, full_name
from leaderboards.admin.reason_page import given_reason
from leaderboards.admin.restrict_forms import (
    LiftForm,
    RestrictForm,
    StandingForm,
    done_in_words,
    lifted_in_words,
    on_in_words,
    to_do_in_words,
    to_lift_in_words,
)
from leaderboards.errors import NotHideable
from leaderboards.models import Period, Player, RestrictionKind, Standing
from leaderboards.refusals import translated
from leaderboards.selectors.restrictions import can_come_back, shown
from leaderboards.services.restrict import What, can_be_restricted, hiding_in, lift_from, restrict

_Form = RestrictForm | LiftForm | StandingForm
_Run = Callable[[list[int], What, str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Restriction(Deed):
    """A restriction or its end: what does it, and what is said before and then."""

    whom: Callable[[], QuerySet[Player]] = Player.objects.all
    is_end: bool
    to_do: Callable[[What, str], str]
    done: Callable[[What, str], str]
    run: _Run


_RESTRICT = _Restriction(
    action="restrict",
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
_LIFT = _Restriction(
    action="lift",
    is_end=True,
    title=_lazy("Lift a restriction"),
    question=_lazy("They are shown again with what they have, unless something else keeps them out."),
    nobody=_lazy("None of the selected is restricted like this: nothing was done."),
    to_do=to_lift_in_words,
    done=lifted_in_words,
    noted="Restriction lifted.",
    run=lift_from,
)


_OF_ONE_STANDING = _lazy(
    "This one standing is shown to nobody, and its player is told so. Whatever else they have stays as it is, and what "
    "they submit is taken. All others in this period move up. It comes back once this is lifted."
)


class RestrictionPages(BanPages):
    """The part of the players' admin that restricts, on one board or on all."""

    actions: Sequence[str] = (*BanPages.actions, "restrict", "lift")

    def get_urls(self) -> list[URLPattern]:
        """A page for a restriction and one for its end."""
        return [*(self.page_of(deed, self._ask_restriction) for deed in (_RESTRICT, _LIFT)), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lifting is offered where there is something to lift."""
        player = self.get_object(request, object_id)
        is_restricted = player is not None and player.restrictions.filter(lifted_at=None).exists()
        more = {"is_restricted": is_restricted} | (extra_context or {})
        return super().change_view(request, object_id, form_url, more)

    @admin.display(description=_lazy("restrictions so far"))
    def restrictions(self, player: Player) -> SafeString | str:
        """What moderators kept from them, where, by whom, when and why, and who lifted it; a dash for nothing."""
        rows = player.restrictions.select_related("by", "lifted_by", "board", "period")
        return format_html_join("", "{} · {} · {} · {}{}<br>", map(on_in_words, rows)) or "-"

    @admin.action(description=_lazy("Hide, shadow or ban the selected players"), permissions=["change"])
    def restrict(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """On one board or on all."""
        return self.of_several(request, _RESTRICT, players, self._ask_restriction)

    @admin.action(description=_lazy("Lift a restriction of the selected players"), permissions=["change"])
    def lift(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """One kind, on one board or on all."""
        return self.of_several(request, _LIFT, players, self._ask_restriction)

    def _ask_restriction(
        self, request: HttpRequest, deed: _Restriction, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        """The page, or None once it is done or there is nothing to do."""
        numbers = [player.pk for player in chosen]
        try:
            form = _form_of(deed, request, numbers)
        except NotHideable as error:
            way = who_hides(request, _period(request.GET.get("period", ""), numbers), numbers)
            messages.error(request, format_html("{} {}", translated(error.detail), way))
            return None
        if isinstance(form, LiftForm) and form.is_empty:
            messages.warning(request, str(deed.nobody))
            return None
        what = form.what()
        wants = "confirmed" in request.POST and "look" not in request.POST
        is_seen = what is not None and request.POST.get("seen") == what.mark
        reason = given_reason(request)
        if what is not None and wants and is_seen and reason:
            done = deed.run(numbers, what, reason, clock.agreed(), signed_in(request))
            self.say_done(request, deed, done, partial(deed.done, what))
            return None
        title = deed.to_do(what, _whom(chosen)) if what else ""
        return self.deed_page(
            request,
            deed,
            chosen,
            template="admin/leaderboards/player/restrict.html",
            rows=None if what is None else _lines(deed, numbers, what),
            of_what=title,
            confirm=_("Yes: %(title)s") % {"title": title} if what else "",
            missing=wants and is_seen,
            is_other=wants and what is not None and not is_seen,
            seen=what.mark if what else "",
            form=form,
            **(_of_one_standing(request, chosen[0], what, back) if isinstance(form, StandingForm) else {"back": back}),
        )


def _of_one_standing(request: HttpRequest, player: Player, what: What | None, back: str) -> dict[str, Any]:
    """What the page is called that hides one standing; its way back is the standing, for who may look at it."""
    row = Standing.objects.filter(period=what.period, player=player).first() if what else None
    may_look = any(request.user.has_perm(f"leaderboards.{verb}_standing") for verb in ("view", "change"))
    return {
        "title": _("Hide one standing of %(player)s") % {"player": full_name(player)},
        "question": _OF_ONE_STANDING,
        "back": reverse("admin:leaderboards_standing_change", args=[row.pk]) if row and may_look else back,
    }


def _whom(chosen: Sequence[Player]) -> str:
    """The one by their id, several by their number."""
    if len(chosen) == 1:
        return chosen[0].external_id
    return ngettext("%(number)s player", "%(number)s players", len(chosen)) % {"number": len(chosen)}


def _form_of(deed: _Restriction, request: HttpRequest, numbers: Sequence[int]) -> _Form:
    typed = request.POST if "confirmed" in request.POST else None
    if deed.is_end:
        return LiftForm(typed, players=numbers)
    period = request.GET.get("period")  # the address stays as it is while the page is asked and answered
    return RestrictForm(typed) if period is None else StandingForm(hiding_in(_period(period, numbers)))


def _period(text: str, players: Sequence[int]) -> Period:
    """The period of this number, in which each of the players has a standing; else there is no such page."""
    periods = Period.objects.select_related("board")
    number = whole_number(text)
    period = None if number is None else periods.filter(pk=number).first()
    if period is None or period.standings.filter(player__in=players).count() < len(players):
        raise Http404
    return period


def comes_back_in_words(players: Sequence[int], what: What) -> list[str]:
    """What lifting it from these players (by internal number) changes: of those alone who are shown then."""
    board, period = _numbers(what)
    return _changes(can_come_back(players, what.kind, board, period), what, banned=False)


def goes_in_words(players: Sequence[int], what: What) -> list[str]:
    """What keeping it from these players (by internal number) changes: of those alone who are shown now."""
    board, period = _numbers(what)
    still_seen = can_be_restricted(what).filter(shown(board, "", period))
    concerned = list(still_seen.filter(pk__in=players).values_list("pk", flat=True))
    return _changes(concerned, what, banned=True)


def _numbers(what: What) -> tuple[int | None, int | None]:
    """Of the board and the period."""
    return what.board.seq if what.board else None, what.period.pk if what.period else None


def _lines(deed: _Restriction, numbers: Sequence[int], what: What) -> list[str]:
    return comes_back_in_words(numbers, what) if deed.is_end else goes_in_words(numbers, what)


def _changes(concerned: Sequence[int], what: What, *, banned: bool) -> list[str]:
    if not concerned:
        return [_("Something else keeps them out already: no ranking changes.")]
    board, period = _numbers(what)
    is_secret = banned and what.kind == RestrictionKind.SHADOWED
    return if_banned_in_words(concerned, banned=banned, board=board, period=period, is_secret=is_secret)
