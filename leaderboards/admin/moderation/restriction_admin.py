"""The admin of restrictions: a list, of active ones by default, and an action that lifts several at once.

Bans from everything are not listed here; ``ExclusionFilter`` finds them in the list of players. The trap: the list
includes shadows, so only users who may view players can open it.
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
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.moderation.restriction_forms import describe_restriction
from leaderboards.admin.moderation.restriction_pages import lift_preview_lines
from leaderboards.admin.players.action_pages import MOST_AT_ONCE, MOST_WITHOUT_PROOF
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.names import name_and_id
from leaderboards.models import Player, Restriction
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import can_be_unbanned
from leaderboards.services.moderation.restrict import RestrictionScope, action_of, lift_restrictions, scope_of

MOST_PREVIEWED = 10  # scopes whose rank changes are counted
_LIFTED, _ALL = "lifted", "all"
_STANDING, _BOARD, _EVERYWHERE = "standing", "board", "everywhere"


_LIFTING = ActionPrompt(
    "lift_selected",
    _lazy("Lift restrictions"),
    _lazy("They are shown again with what they have, unless something else keeps them out."),
)


class RestrictionStateFilter(admin.SimpleListFilter):
    """Filter by state; active restrictions by default."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer lifted ones, and all."""
        return [(_LIFTED, _lazy("lifted")), (_ALL, _lazy("all"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Rename Django's first choice, "all": here it is "running"."""
        for nth, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": choice["display"] if nth else pgettext("a restriction", "running")}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> QuerySet[Restriction]:
        """Filter by the chosen state."""
        value = self.value()
        return queryset if value == _ALL else queryset.filter(lifted_at__isnull=value != _LIFTED)


class RestrictionScopeFilter(admin.SimpleListFilter):
    """Filter by scope: one standing, one board, all boards."""

    title = _lazy("where")
    parameter_name = "where"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the scopes, the narrowest first."""
        return [(_STANDING, _lazy("one standing")), (_BOARD, _lazy("one board")), (_EVERYWHERE, _lazy("all boards"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> QuerySet[Restriction]:
        """Filter by the chosen scope."""
        condition = {
            _STANDING: Q(period__isnull=False),
            _BOARD: Q(board__isnull=False, period=None),
            _EVERYWHERE: Q(board=None),
        }.get(self.value() or "")
        return queryset if condition is None else queryset.filter(condition)


@admin.register(Restriction)
class RestrictionAdmin(ReadOnlyAdmin[Restriction]):
    """Restrictions (hidden, shadowed, banned from a board), the latest first."""

    audited_as = None
    list_display = ("whose", "what", "since_in_utc", "by", "short_reason", "end", "in_the_log")
    list_display_links = ("since_in_utc",)
    list_select_related = ("player", "board", "period__board", "by", "lifted_by")
    list_filter = (
        *(RestrictionStateFilter, RestrictionScopeFilter, "kind", ("board", admin.RelatedOnlyFieldListFilter)),
        *(("by", admin.RelatedOnlyFieldListFilter), "since"),
    )
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id, or the beginning of a name.")
    extra_lookups = ("player__id__exact",)
    date_hierarchy = None
    actions = ("lift_selected",)
    change_list_template = "admin/leaderboards/restriction/change_list.html"
    fields = ("whose", "what", "since_in_utc", "by", "reason", "end", "lift_reason")

    def has_view_permission(self, request: HttpRequest, obj: Restriction | None = None) -> bool:
        """Allow users who may view players, since each player's page lists the restrictions too."""
        return any(request.user.has_perm(f"leaderboards.{verb}_player") for verb in ("view", "change"))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Allow users who may view the list."""
        return self.has_view_permission(request)

    def has_lift_permission(self, request: HttpRequest) -> bool:
        """Allow users who may restrict players."""
        return request.user.has_perm("leaderboards.change_player")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row its audit entry if the user may see it, with one SQL statement for a page."""
        changelist = super().get_changelist_instance(request)
        rows: list[Any] = list(changelist.result_list)
        entries = _entries_of(rows, request)
        for row in rows:
            row.entry = entries.get(row.pk)
        changelist.result_list = rows
        return changelist

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Add the number of bans from everything, which are not listed here, for a link to them."""
        banned = {"banned": formats.number(can_be_unbanned().count())}
        return super().changelist_view(request, banned | (extra_context or {}))

    @admin.display(description=_lazy("in the log"))
    def in_the_log(self, row: Restriction) -> SafeString | str:
        """Return a link to the audit entry; "-" if the user may not see it, or it is deleted by its retention."""
        entry = getattr(row, "entry", None)
        if entry is None:
            return "-"
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:foundation_auditentry_change", args=[entry]), _("Entry")
        )

    @admin.display(description=_lazy("player"), ordering="player__external_id")
    def whose(self, row: Restriction) -> SafeString:
        """Return a link to the player."""
        page = reverse("admin:leaderboards_player_change", args=[row.player_id])
        return format_html('<a href="{}">{}</a>', page, name_and_id(row.player))

    @admin.display(description=_lazy("what and where"), ordering="kind")
    def what(self, row: Restriction) -> str:
        """Describe the restriction and its scope."""
        return describe_restriction(scope_of(row))

    @admin.display(description=_lazy("since"), ordering="since")
    def since_in_utc(self, row: Restriction) -> str:
        """Return the start in UTC."""
        return in_utc(row.since)

    @admin.display(description=_lazy("reason"))
    def short_reason(self, row: Restriction) -> str:
        """Return the beginning of the reason."""
        return row.reason[:120] or "-"

    @admin.display(description=_lazy("end"), ordering="lifted_at")
    def end(self, row: Restriction) -> str:
        """Return when and by whom it was lifted, or that it is active."""
        if row.lifted_at is None:
            return pgettext("a restriction", "running")
        return _("lifted %(when)s · %(by)s") % {"when": in_utc(row.lifted_at), "by": row.lifted_by or "-"}

    @admin.action(description=_lazy("Lift the selected restrictions"), permissions=["lift"])
    def lift_selected(self, request: HttpRequest, rows: QuerySet[Restriction]) -> HttpResponseBase | None:
        """Lift all selected restrictions with one reason, after a preview."""
        active = active_restrictions().filter(pk__in=rows.values("pk")).select_related("player", "board", "period")
        chosen = list(active.order_by("pk")[: MOST_AT_ONCE + 1])
        if len(chosen) > MOST_AT_ONCE:
            messages.error(request, _("Choose up to %(number)s restrictions at once.") % {"number": MOST_AT_ONCE})
            return None
        if not chosen:
            messages.warning(request, _("All of the selected are lifted already: nothing was done."))
            return None
        is_sensitive = len({row.player_id for row in chosen}) > MOST_WITHOUT_PROOF
        proof_page = require_recent_proof(request) if is_sensitive else None
        return proof_page or self._ask_or_lift(request, chosen)

    def _ask_or_lift(self, request: HttpRequest, chosen: Sequence[Restriction]) -> HttpResponseBase | None:
        if reason := confirmed_reason(request):
            self._lift(request, chosen, reason)
            return None
        readers = _("Only those who run the site read it.")
        return reason_page(self, request, _LIFTING, chosen, rows=[*_preview_lines(chosen)], readers=readers)

    def _lift(self, request: HttpRequest, chosen: Sequence[Restriction], reason: str) -> None:
        numbers = [row.pk for row in chosen]
        lifted = lift_restrictions(numbers, reason, clock.trusted_now(), signed_in(request))
        words = {"number": len(lifted), "players": ", ".join(sorted({name_and_id(row.player) for row in lifted}))}
        messages.success(request, with_undo_link(request, _("Lifted: %(number)s (%(players)s).") % words))
        if unchanged := len(chosen) - len(lifted):
            messages.info(request, _("Done before, so nothing was changed: %(number)s.") % {"number": unchanged})


def _entries_of(rows: Sequence[Restriction], request: HttpRequest) -> dict[int, int]:
    """Return by restriction the pk of the audit entry that imposed it, if the user may see it."""
    if not request.user.has_perm(VIEW_AUDIT_LOG):
        return {}
    actions, players = {action_of(row) for row in rows}, {str(row.player_id) for row in rows}
    entries = visible_entries(request, AuditEntry.objects.filter(act__in=actions))
    entries = entries.filter(subjects__kind="player", subjects__key__in=players).order_by("pk")
    return {note["restriction"]: number for number, note in entries.values_list("pk", "note") if "restriction" in note}


def _preview_lines(chosen: Sequence[Restriction]) -> Iterator[str]:
    """Yield the number of restrictions, and for each scope the players and the effects of lifting it."""
    yield ngettext("%(number)s restriction", "%(number)s restrictions", len(chosen)) % {"number": len(chosen)}
    by_scope: dict[RestrictionScope, list[Player]] = defaultdict(list)
    for row in chosen:
        by_scope[scope_of(row)].append(row.player)
    for nth, (scope, players) in enumerate(by_scope.items()):
        line = f"{describe_restriction(scope)}: {', '.join(map(name_and_id, players))}"
        if nth < MOST_PREVIEWED:
            line += f". {' '.join(lift_preview_lines([player.pk for player in players], scope))}"
        yield line
