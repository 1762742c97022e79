"""The admin of quarantined entries: a queue, the oldest first, of entries that are accepted or voided with a reason.

The actions take several rows, or all that a filter shows; of these the oldest ``MOST_AT_ONCE``. Each entry is decided
by itself, so a refused one does not stop the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation import clock
from foundation.http.client_address import signed_in
from foundation.translate import translated
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.confirm.preview_page import describe_rank_moves
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page, run_for_each
from leaderboards.admin.scores.submission_admin import REASON_FOR_EVERYBODY
from leaderboards.admin.wording.decimals import trim_zeros
from leaderboards.admin.wording.names import name_and_id
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.admin.wording.places import place_text
from leaderboards.admin.wording.values import player_and_value, shown_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import OutOfRange
from leaderboards.models import Decision, Period, QuarantinedEntry
from leaderboards.selectors.previews.acceptance import preview_acceptance
from leaderboards.selectors.previews.submissions import preview_added_score
from leaderboards.services import events
from leaderboards.services.moderation.review_quarantine import accept, void
from leaderboards.stores.sql.writes import submission_state

MOST_AT_ONCE = 500  # each is a transaction, and a field of the confirmation form
MOST_PREVIEWED = 50  # each rank is counted with an SQL statement

Service = Callable[[int, str, datetime, AbstractBaseUser | None], bool]


class DecisionFilter(admin.SimpleListFilter):
    """Filter by decision; waiting entries by default."""

    title = _lazy("decision")
    parameter_name = "decided"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the decisions, and all."""
        return [*Decision.choices, ("all", _lazy("all"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Rename Django's first choice, "all": here it is "waiting"."""
        for nth, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": choice["display"] if nth else _("waiting")}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the chosen decision."""
        value = self.value()
        return queryset if value == "all" else queryset.filter(decision=value or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Action(ActionPrompt):
    """A decision on entries: the service, and the message afterwards."""

    run: Service
    done: str | Promise


_ACCEPT = _Action(
    action="accept",
    run=accept,
    title=_lazy("Accept quarantined entries"),
    question=_lazy(
        "They count as of their own time, in their own period. Where that is closed they are refused; a competition "
        "takes them as late scores, while its result is provisional."
    ),
    done=_lazy("Accepted: %(number)s."),
)
_VOID = _Action(
    action="void",
    run=void,
    title=_lazy("Void quarantined entries"),
    question=_lazy("They never count, and their ids stay used. The audit log can put them back into the queue."),
    done=_lazy("Voided: %(number)s."),
)


@admin.register(QuarantinedEntry)
class QuarantinedEntryAdmin(ReadOnlyAdmin[QuarantinedEntry]):
    """Entries that broke a plausibility limit, and wait for a decision."""

    nothing_here = _lazy("Nothing waits for a decision.")
    list_display = ("created_at", "whose", "broken", "sent", "decided")  # the first link leads to the entry
    list_display_links = ("created_at",)
    list_select_related = ("player", "board", "period__board", "decided_by")
    list_filter = (DecisionFilter, "board", "rule", "created_at")
    search_fields = ("player__external_id__exact", "external_id__exact")
    search_help_text = _lazy("A player's whole id or the beginning of a name, or the whole id of an entry.")
    extra_lookups = ("player__id__exact", "period__id__exact")
    ordering = ("created_at", "pk")
    date_hierarchy = None
    actions = ("accept", "void")
    fields = (
        *("board", "period", "player", "history", "value", "metadata", "rule", "seen", "at", "sent_at", "created_at"),
        *("service", "external_id", "decided", "reason"),
    )

    def row_name(self, row: QuarantinedEntry) -> str:
        """Return the player with the value."""
        return player_and_value(row)

    def entry_acts(self, request: HttpRequest, row: QuarantinedEntry) -> Sequence[tuple[str, str]]:
        """Return both decisions, until there is one."""
        may_decide = not row.decision and self.has_judge_permission(request)
        return [("accept", _("Accept…")), ("void", _("Void…"))] if may_decide else ()

    @admin.display(description=_lazy("player"), ordering="player__external_id")
    def whose(self, row: QuarantinedEntry) -> SafeString:
        """Return links to the player and to all their rows, in one column, so that the list fits a screen."""
        page = reverse("admin:leaderboards_player_change", args=[row.player_id])
        return format_html('<a href="{}">{}</a><br>{}', page, name_and_id(row.player), self.history(row))

    @admin.display(description=_lazy("broken rule"), ordering="rule")
    def broken(self, row: QuarantinedEntry) -> str:
        """Return the broken limit and its values."""
        return f"{row.get_rule_display()}: {self.seen(row)}"

    @admin.display(description=_lazy("board and value"), ordering="board")
    def sent(self, row: QuarantinedEntry) -> str:
        """Return the board and the value."""
        return f"{row.board}: {shown_value(row)}"

    @admin.display(description=_lazy("all they did"))
    def history(self, row: QuarantinedEntry) -> SafeString:
        """Return links to all rows of the player."""
        pages = (
            ("leaderboards_submission", _("submissions")),
            ("leaderboards_standing", _("standings")),
            ("leaderboards_quarantinedentry", _("quarantined")),
        )
        links = [
            format_html(
                '<a href="{}?player__id__exact={}{}">{}</a>',
                reverse(f"admin:{name}_changelist"),
                row.player_id,
                "&decided=all" if name == "leaderboards_quarantinedentry" else "",
                word,
            )
            for name, word in pages
        ]
        return format_html("{} · {} · {}", *links)

    @admin.display(description=_lazy("value"))
    def value(self, row: QuarantinedEntry) -> str:
        """Return the points or fields, as sent."""
        return shown_value(row)

    @admin.display(description=_lazy("seen, and the limit"))
    def seen(self, row: QuarantinedEntry) -> str:
        """Return the measured value and the limit."""
        return f"{trim_zeros(row.observed)} / {trim_zeros(row.limit)}"

    @admin.display(description=_lazy("decision"))
    def decided(self, row: QuarantinedEntry) -> str:
        """Return the decision and who made it."""
        if not row.decision:
            return _("is being accepted") if row.accepting_since else _("waiting")
        return f"{row.get_decision_display()} · {row.decided_by or '-'}"

    @admin.action(description=_lazy("Accept the selected entries"), permissions=["judge"])
    def accept(self, request: HttpRequest, rows: QuerySet[QuarantinedEntry]) -> HttpResponseBase | None:
        """Accept entries after a preview, with a reason."""
        return self._ask(request, rows, _ACCEPT)

    @admin.action(description=_lazy("Void the selected entries"), permissions=["judge"])
    def void(self, request: HttpRequest, rows: QuerySet[QuarantinedEntry]) -> HttpResponseBase | None:
        """Void entries, with a reason."""
        return self._ask(request, rows, _VOID)

    def has_judge_permission(self, request: HttpRequest) -> bool:
        """Allow users who may decide on quarantined entries."""
        return request.user.has_perm("leaderboards.judge_quarantinedentry")

    def _ask(self, request: HttpRequest, rows: QuerySet[QuarantinedEntry], action: _Action) -> HttpResponseBase | None:
        waiting = rows.filter(decision="")
        oldest = waiting.select_related("player", "board", "period__board").order_by("created_at", "pk")
        chosen = list(oldest[:MOST_AT_ONCE])
        if not chosen:
            messages.warning(request, _("None of the selected waits any more: nothing was done."))
            return None
        if reason := confirmed_reason(request):
            self._run(request, action, chosen, reason)
            return None
        left = waiting.count() - len(chosen) if len(chosen) == MOST_AT_ONCE else 0
        readers = REASON_FOR_EVERYBODY if any(row.competition for row in chosen) else ""
        lines = [*_preview_lines(chosen, action, left)]
        return reason_page(self, request, action, chosen, rows=lines, readers=readers)

    def _run(self, request: HttpRequest, action: _Action, chosen: Sequence[QuarantinedEntry], reason: str) -> None:
        def run(row: QuarantinedEntry) -> bool:
            return action.run(row.pk, reason, clock.trusted_now(), signed_in(request))

        run_for_each(request, chosen, run, action.done)


def _preview_lines(chosen: Sequence[QuarantinedEntry], action: _Action, left: int) -> Iterator[str]:
    """Yield the numbers of entries and players, and a line for each entry; for accepting also the rank changes."""
    players = len({row.player_id for row in chosen})
    yield (
        ngettext("%(number)s entry", "%(number)s entries", len(chosen)) % {"number": len(chosen)}
        + " · "
        + (ngettext("%(number)s player", "%(number)s players", players) % {"number": players})
    )
    if left:
        yield _("The oldest %(number)s are done now; %(left)s more match and wait.") % {
            "number": len(chosen),
            "left": left,
        }
    if action is _ACCEPT:
        yield describe_rank_moves(preview_acceptance(chosen))
    names = events.source().names({row.competition for row in chosen} - {0})
    yield from (_line(row, names, action) for row in islice(chosen, MOST_PREVIEWED))
    if len(chosen) > MOST_PREVIEWED:
        yield _("and %(number)s entries more") % {"number": len(chosen) - MOST_PREVIEWED}


def _line(row: QuarantinedEntry, names: Mapping[int, str], action: _Action) -> str:
    where = names.get(row.competition) or period_in_words(row.period)
    what = f"{name_and_id(row.player)}, {row.board.name}, {where}: {shown_value(row)}"
    entry = f"{what} ({row.get_rule_display()})"
    if action is not _ACCEPT:
        return entry
    state = submission_state(row)._replace(at_ms=row.period.layout.quantize(milliseconds(row.at)))
    return f"{entry}. {_places_text(row.period, row, state)}"


def _places_text(period: Period, row: QuarantinedEntry, state: StandingState) -> str:
    """Describe the player's place now, and with the entry."""
    try:
        now, then = preview_added_score(period, row.player, state)
    except OutOfRange as error:
        return translated(error.detail)
    if now == then:
        return _("The standing stays as it is: %(now)s.") % {"now": place_text(period, now)}
    words = {"now": place_text(period, now), "then": place_text(period, then)}
    return _("Now: %(now)s. Then: %(then)s.") % words
