"""The admin of standings: found by the player's exact id, or listed by rank within a period; an action hides several.

The trap: rows are in SQL's order; where Redis decides, SQL follows seconds later. Ranks are the public ones; they are
only shown in the list of one period, as far as they are counted in time.
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
from foundation.translate import translated
from leaderboards import formats
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.moderation.restriction_pages import restrict_preview_lines
from leaderboards.admin.players.action_pages import MOST_WITHOUT_PROOF
from leaderboards.admin.scores.edit_pages import SetPages
from leaderboards.admin.wording.periods import period_in_words, periods_in_words
from leaderboards.admin.wording.values import player_and_value, shown_value
from leaderboards.core.ranking.rules import Order
from leaderboards.errors import NotHideable
from leaderboards.models import Period, Standing
from leaderboards.selectors.rankings.ranks import ranks_excluding
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.restrict import hidden_in_period, hide_standings
from leaderboards.services.moderation.restriction_actions import CHANGE_PLAYER

MOST_HIDDEN = 100  # at once: each is a field of the confirmation form
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
    """Standings: the state of a player in a period; within one period in the order of the ranks."""

    list_display = ("rank", "player", "board", "period_label", "value", "at", "is_put")
    list_display_links = ("player",)
    list_select_related = ("player", "period__board")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id, or the beginning of a name.")
    extra_lookups = ("player__id__exact", IN_PERIOD)
    actions = ("hide",)
    fields = ("board", "period", "player", "member", "value", "at", "score", "version", "is_put")

    def row_name(self, row: Standing) -> str:
        """Return the player with the value."""
        return player_and_value(row)

    def has_hide_permission(self, request: HttpRequest) -> bool:
        """Allow users who may restrict players."""
        return request.user.has_perm(CHANGE_PLAYER)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Standing]:
        """List only ranked players of a period, unless the user searches."""
        rows = super().get_queryset(request)
        return rows.filter(score__isnull=False) if _period(request) and not request.GET.get("q") else rows

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Order by rank within a period, else the latest first."""
        period = _period(request)
        if period is None:
            return ("-pk",)
        best = "" if period.rules.order is Order.ASC else "-"
        return (f"{best}score", f"{best}member")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row its period in words, and in a list of one period its rank and whether it is hidden.

        That takes one query for each of the three.
        """
        changelist = super().get_changelist_instance(request)
        period = _period(request)
        rows: list[Any] = list(changelist.result_list)
        names = periods_in_words({row.period for row in rows})
        for row in rows:
            row.shown_period = names[row.period_id]
        if period is not None:
            _attach_ranks(period, rows)
        changelist.result_list = rows
        return changelist

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show the column of ranks within one period only."""
        columns = super().get_list_display(request)
        return columns if _period(request) else [each for each in columns if each != "rank"]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Add the period to the title, if the list is of one period."""
        period = _period(request)
        title = {"title": _("Standings: %(period)s") % {"period": _name(period)}} if period else {}
        return super().changelist_view(request, title | (extra_context or {}))

    @admin.display(description=_lazy("rank"))
    def rank(self, row: Standing) -> str:
        """Return the public rank or "hidden"; "-" for a player without a rank, or if it was not counted in time."""
        if row.is_out and row.score is not None:  # type: ignore[attr-defined]  # the list annotates it
            return pgettext("a player", "hidden")
        rank = row.rank_shown  # type: ignore[attr-defined]  # the list annotates it
        return "-" if rank is None else formats.number(rank)

    @admin.display(description=_lazy("board"))
    def board(self, row: Standing) -> str:
        """Return the board's name."""
        return str(row.period.board)

    @admin.display(description=_lazy("period"))
    def period_label(self, row: Standing) -> str:
        """Return the dates of the period, or the name of its competition."""
        return str(getattr(row, "shown_period", "")) or period_in_words(row.period)

    @admin.display(description=_lazy("value"))
    def value(self, row: Standing) -> str:
        """Return the points or fields; "-" for a removed player."""
        return "-" if row.score is None else shown_value(row)

    @admin.display(description=_lazy("in Redis"), boolean=True)
    def is_put(self, row: Standing) -> bool:
        """Return whether Redis is known to have the standing."""
        return not row.pending_publish

    @admin.action(description=_lazy("Hide the selected standings"), permissions=["hide"])
    def hide(self, request: HttpRequest, rows: QuerySet[Standing]) -> HttpResponseBase | None:
        """Hide all selected standings with one reason, after a preview for each period."""
        is_hidden = Exists(active_restrictions().filter(player=OuterRef("player"), period=OuterRef("period")))
        hideable = rows.filter(~is_hidden, score__isnull=False).select_related("player", "period__board")
        chosen = list(hideable.order_by("period", "pk")[: MOST_HIDDEN + 1])
        if len(chosen) > MOST_HIDDEN:
            messages.error(request, _("Choose up to %(number)s standings at once.") % {"number": MOST_HIDDEN})
            return None
        if not chosen:
            messages.warning(request, _("None of the selected is ranked and shown: nothing was done."))
            return None
        is_sensitive = len({row.player_id for row in chosen}) > MOST_WITHOUT_PROOF
        proof_page = require_recent_proof(request) if is_sensitive else None
        try:
            return proof_page or self._ask_or_hide(request, chosen)
        except NotHideable as error:
            messages.error(request, translated(error.detail))
            return None

    def _ask_or_hide(self, request: HttpRequest, chosen: Sequence[Standing]) -> HttpResponseBase | None:
        """Return the page; None once the standings are hidden. Raises ``NotHideable``."""
        lines = [*_preview_lines(chosen)]
        reason = confirmed_reason(request)
        if not reason:
            readers = _("Only those who run the site read it.")
            return reason_page(self, request, _HIDING, chosen, rows=lines, readers=readers)
        players = {period: [row.player_id for row in rows] for period, rows in _by_period(chosen).items()}
        hidden = hide_standings(players, reason, clock.trusted_now(), signed_in(request))
        message = ngettext("%(number)s standing is hidden.", "%(number)s standings are hidden.", hidden)
        messages.success(request, with_undo_link(request, message % {"number": hidden}))
        return None


def _attach_ranks(period: Period, rows: Sequence[Any]) -> None:
    hidden = hidden_now(period)
    visible = [row.player.external_id for row in rows if row.score is not None and row.player_id not in hidden]
    ranks = ranks_excluding(period, visible, frozenset(hidden.values())) if visible else {}
    for row in rows:
        row.is_out = row.player_id in hidden
        row.rank_shown = None if row.is_out else ranks.get(row.player.external_id)


def _by_period(standings: Sequence[Any]) -> dict[Period, list[Any]]:
    """Group standings by period."""
    groups: dict[Period, list[Any]] = defaultdict(list)
    for row in standings:
        groups[row.period].append(row)
    return groups


def _preview_lines(chosen: Sequence[Standing]) -> Iterator[str]:
    """Yield the number of standings, and for each period the players and the effects. Raises ``NotHideable``."""
    yield ngettext("%(number)s standing", "%(number)s standings", len(chosen)) % {"number": len(chosen)}
    for period, rows in _by_period(chosen).items():
        scope, names = hidden_in_period(period), ", ".join(row.player.external_id for row in rows)
        effects = restrict_preview_lines([row.player_id for row in rows], scope)
        yield f"{_name(period)}: {names}. {' '.join(effects)}"


def _name(period: Period) -> str:
    return f"{period.board.name} ({period_in_words(period)})"


def _period(request: HttpRequest) -> Period | None:
    """Return the period that the query string filters by."""
    number = request.GET.get(IN_PERIOD, "")
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        return None
    return Period.objects.select_related("board").filter(pk=int(number)).first()
