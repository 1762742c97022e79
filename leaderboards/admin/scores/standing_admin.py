"""Standings in the admin: found by the player's exact id, or read by rank within a period; several are hidden at once.

The trap: the order is SQL's, and where Redis decides SQL follows a moment later. Ranks are those that everybody
sees; they are told in the list of one period alone, as far as they can be counted in time.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext, pgettext

from accounts.reauth import require_recent_proof
from foundation import clock
from foundation.http.client_address import signed_in
from leaderboards import formats
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page
from leaderboards.admin.moderation.restriction_pages import restrict_preview_lines
from leaderboards.admin.players.action_pages import MOST_WITHOUT_PROOF
from leaderboards.admin.scores.edit_pages import SetPages
from leaderboards.admin.scores.submission_admin import value_text
from leaderboards.core.ranking.rules import Order
from leaderboards.errors import NotHideable
from leaderboards.models import Period, Standing
from leaderboards.refusals import translated
from leaderboards.selectors.rankings.standings import ranks_excluding
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.restrict import hidden_in_period, hide_standings
from leaderboards.services.moderation.restriction_actions import CHANGE_PLAYER

MOST_HIDDEN = 100  # at once: each is a field of the form that asks
IN_PERIOD = "period__id__exact"
_LONGEST_NUMBER = 18  # digits

_HIDING = ActionPrompt(
    "hide",
    _lazy("Hide standings"),
    _lazy(
        "These standings are shown to nobody, and their players are told so. Whatever else they have stays as it is, "
        "and what they submit is taken. All others in these periods move up. They come back once this is lifted."
    ),
)


@admin.register(Standing)
class StandingAdmin(SetPages):
    """A player's latest state in a period; of one period the best first, as its board ranks them."""

    list_display = ("rank", "player", "board", "period_label", "value", "at", "is_put")
    list_display_links = ("player",)
    list_select_related = ("player", "period__board")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id.")
    extra_lookups = ("player__id__exact", IN_PERIOD)
    actions = ("hide",)
    fields = ("board", "period", "player", "member", "value", "at", "score", "version", "is_put")

    def has_hide_permission(self, request: HttpRequest) -> bool:
        """Whoever may restrict players."""
        return request.user.has_perm(CHANGE_PLAYER)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Standing]:
        """Of a period those who are ranked, unless somebody is searched for."""
        rows = super().get_queryset(request)
        return rows.filter(score__isnull=False) if _period(request) and not request.GET.get("q") else rows

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """As the board ranks, within a period; else the latest first."""
        period = _period(request)
        if period is None:
            return ("-pk",)
        best = "" if period.rules.order is Order.ASC else "-"
        return (f"{best}score", f"{best}member")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Of one period the rows know their ranks, and who is hidden: both are asked for once."""
        found = super().get_changelist_instance(request)
        period = _period(request)
        if period is None:
            return found
        rows: list[Any] = list(found.result_list)
        out = hidden_now(period)
        asked = [row.player.external_id for row in rows if row.score is not None and row.player_id not in out]
        shown = ranks_excluding(period, asked, frozenset(out.values())) if asked else {}
        for row in rows:
            row.is_out = row.player_id in out
            row.rank_shown = None if row.is_out else shown.get(row.player.external_id)
        found.result_list = rows
        return found

    def get_list_display(self, request: HttpRequest) -> Any:
        """Ranks are told within one period."""
        columns = super().get_list_display(request)
        return columns if _period(request) else [each for each in columns if each != "rank"]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Named after the period, where there is one."""
        period = _period(request)
        title = {"title": _("Standings: %(period)s") % {"period": _name(period)}} if period else {}
        return super().changelist_view(request, title | (extra_context or {}))

    @admin.display(description=_lazy("rank"))
    def rank(self, row: Standing) -> str:
        """As everybody sees it; that it is hidden; a dash for who is not ranked, or without time to count."""
        if row.is_out and row.score is not None:  # type: ignore[attr-defined]  # the list has it
            return pgettext("a player", "hidden")
        rank = row.rank_shown  # type: ignore[attr-defined]  # likewise
        return "-" if rank is None else formats.number(rank)

    @admin.display(description=_lazy("board"))
    def board(self, row: Standing) -> str:
        """By name."""
        return str(row.period.board)

    @admin.display(description=_lazy("period"))
    def period_label(self, row: Standing) -> str:
        """Its label."""
        return row.period.label

    @admin.display(description=_lazy("value"))
    def value(self, row: Standing) -> str:
        """Points or fields; nothing of a player who was removed."""
        return "-" if row.score is None else value_text(row)

    @admin.display(description=_lazy("in Redis"), boolean=True)
    def is_put(self, row: Standing) -> bool:
        """Whether Redis is known to have it."""
        return not row.pending_publish

    @admin.action(description=_lazy("Hide the selected standings"), permissions=["hide"])
    def hide(self, request: HttpRequest, rows: QuerySet[Standing]) -> HttpResponseBase | None:
        """All of them, with one reason, after a look at what moves in each period."""
        is_hidden = Exists(active_restrictions().filter(player=OuterRef("player"), period=OuterRef("period")))
        open_ones = rows.filter(~is_hidden, score__isnull=False).select_related("player", "period__board")
        chosen = list(open_ones.order_by("period", "pk")[: MOST_HIDDEN + 1])
        if len(chosen) > MOST_HIDDEN:
            messages.error(request, _("Choose up to %(number)s standings at once.") % {"number": MOST_HIDDEN})
            return None
        if not chosen:
            messages.warning(request, _("None of the selected is ranked and shown: nothing was done."))
            return None
        is_sensitive = len({row.player_id for row in chosen}) > MOST_WITHOUT_PROOF
        proving = require_recent_proof(request) if is_sensitive else None
        try:
            return proving or self._asked_or_hidden(request, chosen)
        except NotHideable as error:
            messages.error(request, translated(error.detail))
            return None

    def _asked_or_hidden(self, request: HttpRequest, chosen: Sequence[Standing]) -> HttpResponseBase | None:
        """The page, or None once it is done. Raises ``NotHideable``."""
        lines = [*_foretold(chosen)]
        reason = confirmed_reason(request)
        if not reason:
            readers = _("Only those who run the site read it.")
            return reason_page(self, request, _HIDING, chosen, rows=lines, readers=readers)
        whose = {period: [row.player_id for row in own] for period, own in _by_period(chosen).items()}
        hidden = hide_standings(whose, reason, clock.trusted_now(), signed_in(request))
        said = ngettext("%(number)s standing is hidden.", "%(number)s standings are hidden.", hidden)
        messages.success(request, said % {"number": hidden})
        return None


def _by_period(rows: Sequence[Any]) -> dict[Period, list[Any]]:
    """Standings, by their period."""
    found: dict[Period, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.period].append(row)
    return found


def _foretold(chosen: Sequence[Standing]) -> Iterator[str]:
    """How many, and for each period whose it is and what hiding it moves. Raises ``NotHideable``."""
    yield ngettext("%(number)s standing", "%(number)s standings", len(chosen)) % {"number": len(chosen)}
    for period, own in _by_period(chosen).items():
        what, names = hidden_in_period(period), ", ".join(row.player.external_id for row in own)
        yield f"{_name(period)}: {names}. {' '.join(restrict_preview_lines([row.player_id for row in own], what))}"


def _name(period: Period) -> str:
    return f"{period.board.name} ({period.label})"


def _period(request: HttpRequest) -> Period | None:
    """The one that the address names."""
    number = request.GET.get(IN_PERIOD, "")
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        return None
    return Period.objects.select_related("board").filter(pk=int(number)).first()
