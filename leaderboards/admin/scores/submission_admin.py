"""The admin of submissions: found by the player's id or name or by their own id, with actions that void and restore."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.http.client_address import signed_in
from foundation.models import ServiceKey
from leaderboards.admin.base.paging import COUNTED_AT_MOST
from leaderboards.admin.base.player_search import players_found
from leaderboards.admin.confirm.event_previews import preview_event_scores
from leaderboards.admin.confirm.preview_page import describe_rank_moves
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page, run_for_each
from leaderboards.admin.scores.edit_pages import EditPages
from leaderboards.admin.scores.submission_state import BoardOfPlayerFilter, StateFilter, states_of
from leaderboards.admin.wording.descriptions import exactly_in_utc
from leaderboards.admin.wording.names import name_and_id
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.admin.wording.places import place_text
from leaderboards.admin.wording.values import player_and_value, shown_value
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import Board, Period, PeriodState, Submission
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves
from leaderboards.selectors.previews.submissions import SubmissionChangePreview, preview_submission_changes
from leaderboards.services import events
from leaderboards.services.imports.score_rows import SERVICE as IMPORT
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.submit.sample_score import SERVICE as TEST

_PLAYER = "player__id__exact"  # the parameter of the list of one player's
MOST_AT_ONCE = 500  # each is a field of the confirmation form
MOST_PREVIEWED = 50  # players: each rank is counted with an SQL statement
NO_BREAK = "\N{NO-BREAK SPACE}"
REASON_FOR_EVERYBODY = _lazy("Everybody can read it once the result is final: write it for the public.")
REASON_FOR_PLAYERS_AND_EVERYBODY = format_lazy(
    "{} {}", _lazy("They are told, in the words of your reason."), REASON_FOR_EVERYBODY
)


def _all_id_scopes() -> dict[str, list[Any]]:
    """List all values of the columns that precede the id in its unique index, so that a search can use that index.

    A second index that begins with the id would serve this search only, and make submitting up to a quarter slower.
    """
    events = Period.objects.filter(board__period=PeriodKind.EVENT).values_list("label", flat=True)
    return {
        "service__in": [*{key.name for key in ServiceKey.objects.all()}, IMPORT, TEST],
        "board__in": list(Board.objects.values_list("pk", flat=True)),
        "competition__in": [0, *{int(label.removeprefix("c")) for label in events}],
    }


@admin.register(Submission)
class SubmissionAdmin(EditPages):
    """Submissions that SQL accepted. After voiding one, the standing is derived from the others."""

    list_display = ("player", "value", "board", "period_label", "happened", "state", "service")
    list_filter = (StateFilter,)  # by board only of one player: no index serves it for all
    list_display_links = ("player",)
    list_select_related = ("player", "board", "period__board")
    search_fields = ("external_id__exact",)
    extra_lookups = (_PLAYER, "period__id__exact")
    search_help_text = _lazy("A player's whole id or the beginning of a name, or the whole id of a submission.")
    ordering = ("-pk",)
    actions = ("void", "restore")
    fields = (
        *("board", "period", "player", "value", "metadata", "at", "sent_at"),
        *("service", "external_id", "created_at", "state"),
    )

    def row_name(self, row: Submission) -> str:
        """Return the player with the value."""
        return player_and_value(row)

    def entry_acts(self, request: HttpRequest, row: Submission) -> Sequence[tuple[str, str]]:
        """Return voiding, or restoring what is void."""
        if not self.has_void_permission(request):
            return ()
        return [("void", _("Void…"))] if row.voided_at is None else [("restore", _("Restore…"))]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Submission], search_term: str
    ) -> tuple[QuerySet[Submission], bool]:
        """Search by player, and where none is found by submission: a search for both would use no index."""
        if not search_term:
            return queryset, False
        if players := players_found(search_term):
            return queryset.filter(player__in=players), False
        return queryset.filter(external_id=search_term, **_all_id_scopes()), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """With a way to void all that is listed, where that is one player's."""
        page = super().changelist_view(request, extra_context)
        context = getattr(page, "context_data", None)
        if context and "cl" in context and _PLAYER in request.GET and self.has_void_permission(request):
            listed = context["cl"]
            context["voidable"] = [row for row in listed.result_list if row.voided_at is None]
            context["voidable_in_all"] = listed.queryset.filter(voided_at=None).order_by()[:COUNTED_AT_MOST].count()
            context["most_at_once"] = MOST_AT_ONCE
        return page

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Filter by board where one player's are listed."""
        return (BoardOfPlayerFilter, *self.list_filter) if _PLAYER in request.GET else self.list_filter

    def get_sortable_by(self, request: HttpRequest) -> Any:
        """Sort by value where one player's are listed: for all of them no index serves it."""
        names = super().get_sortable_by(request)
        return names if _PLAYER in request.GET else [name for name in names if name != "value"]

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row the name of its competition and its states, with a few SQL statements for a page."""
        changelist = super().get_changelist_instance(request)
        rows = list(changelist.result_list)
        names, states = _competition_names(rows), states_of(rows)
        for row in rows:
            row.competition_name, row.states = names.get(row.competition, ""), states[row.pk]
        changelist.result_list = rows
        return changelist

    @admin.display(description=_lazy("period or competition"))
    def period_label(self, row: Submission) -> str:
        """Return the name of its competition, else the dates of the period."""
        return getattr(row, "competition_name", "") or period_in_words(row.period)

    @admin.display(description=_lazy("state"))
    def state(self, row: Submission) -> str:
        """Return whether it counts, and what was done to it."""
        return " · ".join(row.states if hasattr(row, "states") else states_of([row])[row.pk])

    @admin.action(description=_lazy("Void the selected submissions"), permissions=["void"])
    def void(self, request: HttpRequest, submissions: QuerySet[Submission]) -> HttpResponseBase | None:
        """Void submissions after a preview, with a reason."""
        # In a competition, a submission that is void since its player was disqualified can still be voided by itself.
        return self._ask(request, submissions.filter(Q(voided_at=None) | ~Q(competition=0)), _voiding())

    @admin.action(description=_lazy("Restore the selected submissions"), permissions=["void"])
    def restore(self, request: HttpRequest, submissions: QuerySet[Submission]) -> HttpResponseBase | None:
        """Restore voided submissions after a preview, with a reason."""
        voided = submissions.exclude(voided_at=None)
        if not voided.exists():
            messages.error(request, _("None of the selected submissions is void: there is nothing to restore."))
            return None
        return self._ask(request, voided, _restoring())

    def _ask(self, request: HttpRequest, rows: QuerySet[Submission], action: "_Action") -> HttpResponseBase | None:
        chosen = list(rows.select_related("player", "period__board").order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, action.too_many)
            return None
        in_events = preview_event_scores(request, chosen, restored=action.restores)
        is_seen = request.POST.get("shown", "") == in_events.seal
        if is_seen and (reason := confirmed_reason(request)):
            self._run(request, action, chosen, reason)
            return None
        readers = REASON_FOR_PLAYERS_AND_EVERYBODY if any(row.period.board.is_event for row in chosen) else ""
        lines = [*void_preview_lines(chosen, restored=action.restores), *in_events.lines]
        is_other = "confirmed" in request.POST and not is_seen
        return reason_page(
            self, request, action, chosen, rows=lines, readers=readers, shown_seal=in_events.seal, is_other=is_other
        )

    def _run(self, request: HttpRequest, action: "_Action", chosen: Sequence[Submission], reason: str) -> None:
        def run(row: Submission) -> bool:
            is_done = action.run(row, reason, clock.trusted_now(), signed_in(request))
            if is_done:
                self.log_change(request, row, f"{action.log_note}: {reason}")
            return is_done

        run_for_each(request, chosen, run, action.done)

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Allow users with the permission to change submissions."""
        return request.user.has_perm("leaderboards.change_submission")

    @admin.display(description=_lazy("at"), ordering="at")
    def happened(self, row: Submission) -> str:
        """Return its time with seconds, in UTC; where the column is narrow the date stands above the time."""
        date, *time = exactly_in_utc(row.at).rsplit(" ", 2)
        return " ".join([date.replace(" ", NO_BREAK), NO_BREAK.join(time)])

    @admin.display(description=_lazy("value"), ordering="points")
    def value(self, row: Submission) -> str:
        """Return the points with their unit, or the fields."""
        return shown_value(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Action(ActionPrompt):
    """Void or restore: the service, the messages, and the note in Django's admin log."""

    run: Callable[[Submission, str, datetime, AbstractBaseUser], bool]
    restores: bool
    log_note: str
    done: str
    too_many: str


def _voiding() -> _Action:
    return _Action(
        action="void",
        run=void_by_hand,
        restores=False,
        log_note="Voided",
        title=_("Void submissions"),
        question=_(
            "They no longer count, and each standing becomes what the player's others amount to. Their ids stay used. "
            "Restoring them undoes it. Ranks are told as if everybody else stayed where they are."
        ),
        done=_("Voided: %(number)s."),
        too_many=_("Void up to %(number)s submissions at once.") % {"number": MOST_AT_ONCE},
    )


def _restoring() -> _Action:
    return _Action(
        action="restore",
        run=unvoid_by_hand,
        restores=True,
        log_note="Restored",
        title=_("Restore submissions"),
        question=_(
            "They count again as if they had never been voided, with the times that they had. A sum that would leave "
            "the board's limits stops there. Ranks are told as if everybody else stayed where they are."
        ),
        done=_("Restored: %(number)s."),
        too_many=_("Restore up to %(number)s submissions at once.") % {"number": MOST_AT_ONCE},
    )


def void_preview_lines(chosen: Sequence[Submission], *, restored: bool) -> Iterator[str]:
    """Yield a line for each player with the submissions, the place now and the place then, and the rank changes."""
    players = len({(row.period_id, row.player_id) for row in chosen})
    names = _competition_names(chosen)
    previews = list(islice(preview_submission_changes(chosen, restored), MOST_PREVIEWED))
    yield from (_line(preview, names) for preview in previews)
    if players <= MOST_PREVIEWED:
        yield describe_rank_moves(_rank_changes(previews))
    else:
        yield _("and %(number)s players more") % {"number": players - MOST_PREVIEWED}


def _rank_changes(previews: Sequence[SubmissionChangePreview]) -> RankChanges:
    """Sum the rank changes in open periods."""
    by_period: dict[Period, dict[int, StandingState | None]] = {}
    for preview in previews:
        if preview.period.state == PeriodState.OPEN:
            by_period.setdefault(preview.period, {})[preview.player.pk] = preview.then.state if preview.then else None
    return sum_moves(moves_in(period, after) for period, after in by_period.items())


def _competition_names(rows: Sequence[Submission]) -> Mapping[int, str]:
    """Return the names of these submissions' competitions by number."""
    numbers = {row.competition for row in rows} - {0}  # 0 is none
    return events.source().names(numbers) if numbers else {}


def _line(preview: SubmissionChangePreview, names: Mapping[int, str]) -> str:
    values = "; ".join(map(shown_value, preview.submissions))
    where = names.get(preview.submissions[0].competition) or period_in_words(preview.period)
    words = {"what": f"{name_and_id(preview.player)}, {preview.period.board.name}, {where}: {values}"}
    if preview.period.state != PeriodState.OPEN and not preview.period.board.is_event:
        return _("%(what)s. Its period is closed: this one stays.") % words
    now, then = (place_text(preview.period, place) for place in (preview.now, preview.then))
    if preview.now == preview.then:
        return _("%(what)s. The standing stays as it is: %(now)s.") % (words | {"now": now})
    return _("%(what)s. Now: %(now)s. Then: %(then)s.") % (words | {"now": now, "then": then})
