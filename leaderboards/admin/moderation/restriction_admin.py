"""All restrictions in the admin, those that run first asked for: who is kept from what, and lifting several at once.

A ban from everything is no restriction here: the list of players has those, filtered by ``ExclusionFilter``. The trap:
a shadow stands here too, so who may not look at players sees nothing of this list.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext, pgettext

from accounts.reauth import require_recent_proof
from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.http.client_address import signed_in
from leaderboards import formats
from leaderboards.admin.audit_log.visibility import VIEW_AUDIT_LOG, visible_entries
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page
from leaderboards.admin.moderation.restriction_forms import describe_restriction
from leaderboards.admin.moderation.restriction_pages import lift_preview_lines
from leaderboards.admin.players.action_pages import MOST_AT_ONCE, MOST_WITHOUT_PROOF, name_and_id
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Player, Restriction
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import can_be_unbanned
from leaderboards.services.moderation.restrict import RestrictionScope, action_of, lift_restrictions, scope_of

MOST_PREVIEWED = 10  # kinds and boards of which it is counted what lifting does to ranks
_LIFTED, _ALL = "lifted", "all"
_STANDING, _BOARD, _EVERYWHERE = "standing", "board", "everywhere"


_LIFTING = ActionPrompt(
    "lift_selected",
    _lazy("Lift restrictions"),
    _lazy("They are shown again with what they have, unless something else keeps them out."),
)


class RestrictionStateFilter(admin.SimpleListFilter):
    """What runs, unless something else is asked for."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """What is over, beside what runs."""
        return [(_LIFTED, _lazy("lifted")), (_ALL, _lazy("all"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Django's own first choice is all; here it is what runs."""
        for nth, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": choice["display"] if nth else pgettext("a restriction", "running")}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> QuerySet[Restriction]:
        """The rows of this state."""
        value = self.value()
        return queryset if value == _ALL else queryset.filter(lifted_at__isnull=value != _LIFTED)


class RestrictionScopeFilter(admin.SimpleListFilter):
    """By how much is kept from a player: one standing, a board, all boards."""

    title = _lazy("where")
    parameter_name = "where"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """From the least to the most."""
        return [(_STANDING, _lazy("one standing")), (_BOARD, _lazy("one board")), (_EVERYWHERE, _lazy("all boards"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> QuerySet[Restriction]:
        """The rows of this width."""
        asked = {
            _STANDING: Q(period__isnull=False),
            _BOARD: Q(board__isnull=False, period=None),
            _EVERYWHERE: Q(board=None),
        }.get(self.value() or "")
        return queryset if asked is None else queryset.filter(asked)


@admin.register(Restriction)
class RestrictionAdmin(ReadOnlyAdmin[Restriction]):
    """Who is hidden, shadowed or banned from a board, the latest first."""

    audited_as = None
    list_display = ("whose", "what", "since_in_utc", "by", "short_reason", "end", "in_the_log")
    list_display_links = ("since_in_utc",)
    list_select_related = ("player", "board", "period", "by", "lifted_by")
    list_filter = (
        *(RestrictionStateFilter, RestrictionScopeFilter, "kind", ("board", admin.RelatedOnlyFieldListFilter)),
        *(("by", admin.RelatedOnlyFieldListFilter), "since"),
    )
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id.")
    extra_lookups = ("player__id__exact",)
    date_hierarchy = None
    actions = ("lift_selected",)
    change_list_template = "admin/leaderboards/restriction/change_list.html"
    fields = ("whose", "what", "since_in_utc", "by", "reason", "end", "lift_reason")

    def has_view_permission(self, request: HttpRequest, obj: Restriction | None = None) -> bool:
        """Whoever may look at players, at whose pages each of these stands."""
        return any(request.user.has_perm(f"leaderboards.{verb}_player") for verb in ("view", "change"))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Likewise."""
        return self.has_view_permission(request)

    def has_lift_permission(self, request: HttpRequest) -> bool:
        """Whoever may restrict players."""
        return request.user.has_perm("leaderboards.change_player")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The rows know their entries in the log, those that the reader may look at: one question for a page."""
        found = super().get_changelist_instance(request)
        rows: list[Any] = list(found.result_list)
        entries = _entries_of(rows, request)
        for row in rows:
            row.entry = entries.get(row.pk)
        found.result_list = rows
        return found

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Beside a way to the bans from everything, with how many there are: they are no rows here."""
        banned = {"banned": formats.number(can_be_unbanned().count())}
        return super().changelist_view(request, banned | (extra_context or {}))

    @admin.display(description=_lazy("in the log"))
    def in_the_log(self, row: Restriction) -> SafeString | str:
        """A way to the entry that tells of it; a dash for who may not read it, and once it is too old to be kept."""
        entry = getattr(row, "entry", None)
        if entry is None:
            return "-"
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:foundation_auditentry_change", args=[entry]), _("Entry")
        )

    @admin.display(description=_lazy("player"), ordering="player__external_id")
    def whose(self, row: Restriction) -> SafeString:
        """A way to their page."""
        page = reverse("admin:leaderboards_player_change", args=[row.player_id])
        return format_html('<a href="{}">{}</a>', page, name_and_id(row.player))

    @admin.display(description=_lazy("what and where"), ordering="kind")
    def what(self, row: Restriction) -> str:
        """The kind, and the board or all."""
        return describe_restriction(scope_of(row))

    @admin.display(description=_lazy("since"), ordering="since")
    def since_in_utc(self, row: Restriction) -> str:
        """With its zone."""
        return in_utc(row.since)

    @admin.display(description=_lazy("reason"))
    def short_reason(self, row: Restriction) -> str:
        """Its beginning."""
        return row.reason[:120] or "-"

    @admin.display(description=_lazy("end"), ordering="lifted_at")
    def end(self, row: Restriction) -> str:
        """When it was lifted and by whom; that it runs."""
        if row.lifted_at is None:
            return pgettext("a restriction", "running")
        return _("lifted %(when)s · %(by)s") % {"when": in_utc(row.lifted_at), "by": row.lifted_by or "-"}

    @admin.action(description=_lazy("Lift the selected restrictions"), permissions=["lift"])
    def lift_selected(self, request: HttpRequest, rows: QuerySet[Restriction]) -> HttpResponseBase | None:
        """All of them, with one reason, after a look at what comes of it."""
        runs = active_restrictions().filter(pk__in=rows.values("pk")).select_related("player", "board", "period")
        chosen = list(runs.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, _("Choose up to %(number)s restrictions at once.") % {"number": MOST_AT_ONCE})
            return None
        if not chosen:
            messages.warning(request, _("All of the selected are lifted already: nothing was done."))
            return None
        is_sensitive = len({row.player_id for row in chosen}) > MOST_WITHOUT_PROOF
        proving = require_recent_proof(request) if is_sensitive else None
        return proving or self._asked_or_lifted(request, chosen)

    def _asked_or_lifted(self, request: HttpRequest, chosen: Sequence[Restriction]) -> HttpResponseBase | None:
        if reason := confirmed_reason(request):
            self._lift(request, chosen, reason)
            return None
        readers = _("Only those who run the site read it.")
        return reason_page(self, request, _LIFTING, chosen, rows=[*_foretold(chosen)], readers=readers)

    def _lift(self, request: HttpRequest, chosen: Sequence[Restriction], reason: str) -> None:
        numbers = [row.pk for row in chosen]
        lifted = lift_restrictions(numbers, reason, clock.trusted_now(), signed_in(request))
        words = {"number": len(lifted), "players": ", ".join(sorted({row.player.external_id for row in lifted}))}
        messages.success(request, _("Lifted: %(number)s (%(players)s).") % words)
        if before := len(chosen) - len(lifted):
            messages.info(request, _("Done before, so nothing was changed: %(number)s.") % {"number": before})


def _entries_of(rows: Sequence[Restriction], request: HttpRequest) -> dict[int, int]:
    """By restriction the entry of the log that imposed it, as far as the reader of the request may see it."""
    if not request.user.has_perm(VIEW_AUDIT_LOG):
        return {}
    acts, players = {action_of(row) for row in rows}, {str(row.player_id) for row in rows}
    told = visible_entries(request, AuditEntry.objects.filter(act__in=acts))
    told = told.filter(subjects__kind="player", subjects__key__in=players).order_by("pk")
    return {note["restriction"]: number for number, note in told.values_list("pk", "note") if "restriction" in note}


def _foretold(chosen: Sequence[Restriction]) -> Iterator[str]:
    """How many, and for each kind and board whose it is and what lifting it moves."""
    yield ngettext("%(number)s restriction", "%(number)s restrictions", len(chosen)) % {"number": len(chosen)}
    by_what: dict[RestrictionScope, list[Player]] = defaultdict(list)
    for row in chosen:
        by_what[scope_of(row)].append(row.player)
    for nth, (what, players) in enumerate(by_what.items()):
        whose = f"{describe_restriction(what)}: {', '.join(map(name_and_id, players))}"
        if nth >= MOST_PREVIEWED:
            yield whose
            continue
        yield f"{whose}. {' '.join(lift_preview_lines([player.pk for player in players], what))}"
