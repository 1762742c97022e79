"""The pages that hide, shadow or ban players on boards, and lift that: a choice, its preview, and a reason.

For one player or several. The player's page lists all restrictions. The trap: only the previewed restriction may be
imposed; if the choice has changed since the preview, the page is shown again.
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
from foundation.http.client_address import signed_in
from foundation.numbers import whole_number
from foundation.translate import translated
from leaderboards.admin.confirm.event_previews import disqualification_link
from leaderboards.admin.confirm.reason_page import confirmed_reason
from leaderboards.admin.moderation.ban_pages import BanPages
from leaderboards.admin.moderation.ban_preview import ban_preview_lines
from leaderboards.admin.moderation.restriction_forms import (
    LiftForm,
    RestrictForm,
    StandingForm,
    lift_title,
    lifted_message,
    restrict_title,
    restricted_message,
    restriction_cells,
)
from leaderboards.admin.players.action_pages import PlayerAction
from leaderboards.admin.wording.names import name_and_id
from leaderboards.errors import NotHideable
from leaderboards.models import Period, Player, RestrictionKind, Standing
from leaderboards.selectors.visibility.restrictions import restricted_only_by, visible_q
from leaderboards.services.moderation.restrict import (
    RestrictionScope,
    can_be_restricted,
    hidden_in_period,
    lift_from,
    restrict,
)

_Form = RestrictForm | LiftForm | StandingForm
_Run = Callable[[list[int], RestrictionScope, str, datetime, AbstractBaseUser | None], list[Player]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Restriction(PlayerAction):
    """Restrict or lift: the service that does it, and the texts before and afterwards."""

    eligible_players: Callable[[], QuerySet[Player]] = Player.objects.all
    is_end: bool
    to_do: Callable[[RestrictionScope, str], str]
    done: Callable[[RestrictionScope, str], str]
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
    empty_message=_lazy("This is so for all of the selected already: nothing was done."),
    to_do=restrict_title,
    done=restricted_message,
    log_note="Restricted.",
    run=restrict,
)
_LIFT = _Restriction(
    action="lift",
    is_end=True,
    title=_lazy("Lift a restriction"),
    question=_lazy("They are shown again with what they have, unless something else keeps them out."),
    empty_message=_lazy("None of the selected is restricted like this: nothing was done."),
    to_do=lift_title,
    done=lifted_message,
    log_note="Restriction lifted.",
    run=lift_from,
)


_HIDE_STANDING_QUESTION = _lazy(
    "This one standing is shown to nobody, and its player is told so. Whatever else they have stays as it is, and what "
    "they submit is taken. All others in this period move up. It comes back once this is lifted."
)


class RestrictionPages(BanPages):
    """The part of the players' admin that restricts, on one board or all, and lifts restrictions."""

    actions: Sequence[str] = (*BanPages.actions, "restrict", "lift")

    def get_urls(self) -> list[URLPattern]:
        """Add a page to restrict and one to lift a restriction."""
        return [
            *(self.action_urlpattern(action, self._ask_restriction) for action in (_RESTRICT, _LIFT)),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Offer to lift a restriction if the player has one."""
        player = self.get_object(request, object_id)
        is_restricted = player is not None and player.restrictions.filter(lifted_at=None).exists()
        more = {"is_restricted": is_restricted} | (extra_context or {})
        return super().change_view(request, object_id, form_url, more)

    @admin.display(description=_lazy("restrictions so far"))
    def restrictions(self, player: Player) -> SafeString | str:
        """List all restrictions and their ends: scope, when, by whom, why; "-" without any."""
        rows = player.restrictions.select_related("by", "lifted_by", "board", "period")
        return format_html_join("", "{} · {} · {} · {}{}<br>", map(restriction_cells, rows)) or "-"

    @admin.action(description=_lazy("Hide, shadow or ban the selected players"), permissions=["change"])
    def restrict(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """Restrict players, on one board or all."""
        return self.run_for_selected(request, _RESTRICT, players, self._ask_restriction)

    @admin.action(description=_lazy("Lift a restriction of the selected players"), permissions=["change"])
    def lift(self, request: HttpRequest, players: QuerySet[Player]) -> HttpResponseBase | None:
        """Lift one restriction of the players, of one board or all."""
        return self.run_for_selected(request, _LIFT, players, self._ask_restriction)

    def _ask_restriction(
        self, request: HttpRequest, action: _Restriction, chosen: Sequence[Player], back: str
    ) -> HttpResponseBase | None:
        """Return the page; None once the action is done, or if there is nothing to do."""
        numbers = [player.pk for player in chosen]
        try:
            form = _form_of(action, request, numbers)
        except NotHideable as error:
            link = disqualification_link(request, _period(request.GET.get("period", ""), numbers), numbers)
            messages.error(request, format_html("{} {}", translated(error.detail), link))
            return None
        if isinstance(form, LiftForm) and form.is_empty:
            messages.warning(request, str(action.empty_message))
            return None
        scope = form.scope()
        is_confirmed = "confirmed" in request.POST and "look" not in request.POST
        is_seen = scope is not None and request.POST.get("seen") == scope.key
        reason = confirmed_reason(request)
        if scope is not None and is_confirmed and is_seen and reason:
            done = action.run(numbers, scope, reason, clock.trusted_now(), signed_in(request))
            self.report_done(request, action, done, partial(action.done, scope))
            return None
        title = action.to_do(scope, _whom(chosen)) if scope else ""
        return self.action_page(
            request,
            action,
            chosen,
            template="admin/leaderboards/player/restrict.html",
            rows=None if scope is None else _preview_lines(action, numbers, scope),
            of_what=title,
            confirm=_("Yes: %(title)s") % {"title": title} if scope else "",
            missing=is_confirmed and is_seen,
            is_other=is_confirmed and scope is not None and not is_seen,
            seen=scope.key if scope else "",
            form=form,
            **(
                _standing_context(request, chosen[0], scope, back) if isinstance(form, StandingForm) else {"back": back}
            ),
        )


def _standing_context(
    request: HttpRequest, player: Player, scope: RestrictionScope | None, back: str
) -> dict[str, Any]:
    """Return the texts of the page that hides one standing; it leads back to the standing if the user may view it."""
    row = Standing.objects.filter(period=scope.period, player=player).first() if scope else None
    may_view = any(request.user.has_perm(f"leaderboards.{verb}_standing") for verb in ("view", "change"))
    return {
        "title": _("Hide one standing of %(player)s") % {"player": name_and_id(player)},
        "question": _HIDE_STANDING_QUESTION,
        "back": reverse("admin:leaderboards_standing_change", args=[row.pk]) if row and may_view else back,
    }


def _whom(chosen: Sequence[Player]) -> str:
    """Return the id of one player, or the number of several."""
    if len(chosen) == 1:
        return name_and_id(chosen[0])
    return ngettext("%(number)s player", "%(number)s players", len(chosen)) % {"number": len(chosen)}


def _form_of(action: _Restriction, request: HttpRequest, numbers: Sequence[int]) -> _Form:
    typed = request.POST if "confirmed" in request.POST else None
    if action.is_end:
        return LiftForm(typed, players=numbers)
    period = request.GET.get("period")  # in the URL, which stays the same for both POSTs
    return RestrictForm(typed) if period is None else StandingForm(hidden_in_period(_period(period, numbers)))


def _period(text: str, players: Sequence[int]) -> Period:
    """Return the period of this number. Raises ``Http404`` unless each of the players has a standing in it."""
    periods = Period.objects.select_related("board")
    number = whole_number(text)
    period = None if number is None else periods.filter(pk=number).first()
    if period is None or period.standings.filter(player__in=players).count() < len(players):
        raise Http404
    return period


def lift_preview_lines(players: Sequence[int], scope: RestrictionScope) -> list[str]:
    """Preview lifting a restriction of players (by internal number); only those count who become visible."""
    board, period = _numbers(scope)
    return _change_lines(restricted_only_by(players, scope.kind, board, period), scope, banned=False)


def restrict_preview_lines(players: Sequence[int], scope: RestrictionScope) -> list[str]:
    """Preview restricting players (by internal number); only those count who are visible now."""
    board, period = _numbers(scope)
    visible = can_be_restricted(scope).filter(visible_q(board, "", period))
    affected = list(visible.filter(pk__in=players).values_list("pk", flat=True))
    return _change_lines(affected, scope, banned=True)


def _numbers(scope: RestrictionScope) -> tuple[int | None, int | None]:
    """Return the numbers of the board and the period."""
    return scope.board.seq if scope.board else None, scope.period.pk if scope.period else None


def _preview_lines(action: _Restriction, numbers: Sequence[int], scope: RestrictionScope) -> list[str]:
    return lift_preview_lines(numbers, scope) if action.is_end else restrict_preview_lines(numbers, scope)


def _change_lines(affected: Sequence[int], scope: RestrictionScope, *, banned: bool) -> list[str]:
    if not affected:
        return [_("Something else keeps them out already: no ranking changes.")]
    board, period = _numbers(scope)
    is_secret = banned and scope.kind == RestrictionKind.SHADOWED
    return ban_preview_lines(affected, banned=banned, board=board, period=period, is_secret=is_secret)
