"""What could not be done, and what was found to differ: dead letters with their reason, and differences."""

import json

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import DeadLetter
from leaderboards.admin.paging import ReadOnlyAdmin
from leaderboards.models import Difference
from leaderboards.services import mirror


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin[DeadLetter]):
    """Work that SQL refused: why, and whether it is done by now. Retry it once the cause is gone, or drop it."""

    list_display = ("subject", "kind", "short_reason", "tries", "created_at", "failed_at", "state")
    list_filter = (("resolved_at", admin.EmptyFieldListFilter), "kind")
    search_fields = ("subject__icontains",)
    ordering = ("-failed_at",)
    actions = ("retry", "drop")
    fields = (
        *("kind", "subject", "reason", "shown_payload", "tries", "created_at", "failed_at"),
        *("resolved_at", "resolution"),
    )

    @admin.display(description=_lazy("reason"))
    def short_reason(self, letter: DeadLetter) -> str:
        """Its first line; the letter's page has the rest."""
        return letter.reason.partition("\n")[0][:120]

    @admin.display(description=_lazy("payload"))
    def shown_payload(self, letter: DeadLetter) -> SafeString:
        """As JSON, a field a line."""
        return format_html("<pre>{}</pre>", json.dumps(letter.payload, indent=2, ensure_ascii=False))

    @admin.display(description=_lazy("state"))
    def state(self, letter: DeadLetter) -> str:
        """What became of it."""
        return letter.resolution or _("waits")

    @admin.action(description=_lazy("Retry the selected dead letters"), permissions=["act"])
    def retry(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """Done now, or why not."""
        for letter in letters.filter(resolved_at=None, kind=mirror.DEAD):
            try:
                done = mirror.retry(letter)
            except Unavailable as error:
                messages.error(request, f"{letter}: {error.detail}")
                continue
            self.log_change(request, letter, "Retried.")
            if done:
                messages.success(request, _("%(letter)s: done.") % {"letter": letter})
            else:
                messages.warning(
                    request, _("%(letter)s: refused again: %(why)s") % {"letter": letter, "why": letter.reason}
                )

    @admin.action(description=_lazy("Drop the selected dead letters"), permissions=["act"])
    def drop(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """SQL keeps what it has, and the period closes with that."""
        for letter in letters.filter(resolved_at=None, kind=mirror.DEAD):
            mirror.drop(letter, clock.now())
            self.log_change(request, letter, "Dropped.")
            messages.success(request, _("%(letter)s: dropped.") % {"letter": letter})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever may change dead letters; nobody types in them."""
        return request.user.has_perm("foundation.change_deadletter")


@admin.register(Difference)
class DifferenceAdmin(ReadOnlyAdmin[Difference]):
    """What verifying found: a standing that was not the same in SQL and Redis, and whether it was put right."""

    list_display = ("player", "board", "period_label", "in_sql", "in_redis", "repaired", "found_at")
    list_filter = ("repaired", "found_at")
    list_select_related = ("period__board",)
    search_fields = ("player__exact",)
    search_help_text = _lazy("A player's whole id.")
    ordering = ("-found_at", "-pk")
    fields = ("player", "board", "period", "in_sql", "in_redis", "repaired", "found_at")

    @admin.display(description=_lazy("board"))
    def board(self, found: Difference) -> str:
        """By name."""
        return str(found.period.board)

    @admin.display(description=_lazy("period"))
    def period_label(self, found: Difference) -> str:
        """Its label."""
        return found.period.label
