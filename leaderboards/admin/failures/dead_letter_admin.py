"""The admins of dead letters (work that failed for good) and of differences between SQL and Redis."""

import json

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock, dead_letters
from foundation.errors import SunwiError
from foundation.models import DeadLetter
from foundation.translate import translated
from leaderboards.admin.base.filters import DoneFilter
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.failures.amend_form import AmendForm, describe_standing
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import Difference
from leaderboards.services.sync import amend_dead_letter, mirror


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin[DeadLetter]):
    """Work that SQL refused, with the reason. It can be retried once the cause is gone, or dropped.

    The app that the work belongs to implements both. A standing can also be edited.
    """

    nothing_here = _lazy("Nothing was given up: every entry reached SQL.")
    list_display = ("subject", "kind", "short_reason", "tries", "created_at", "failed_at", "state")
    list_filter = (("resolved_at", DoneFilter), "kind")
    search_fields = ("subject__icontains",)
    ordering = ("-failed_at",)
    actions = ("retry", "drop")
    fields = (
        *("kind", "subject", "reason", "shown_payload", "tries", "created_at", "failed_at"),
        *("resolved_at", "resolution", "edit_link", "dropping"),
    )

    @admin.display(description=_lazy("reason"))
    def short_reason(self, letter: DeadLetter) -> str:
        """Return the first line of the reason."""
        return letter.reason.partition("\n")[0][:120]

    @admin.display(description=_lazy("payload"))
    def shown_payload(self, letter: DeadLetter) -> SafeString:
        """Return the payload as indented JSON."""
        return format_html("<pre>{}</pre>", json.dumps(letter.payload, indent=2, ensure_ascii=False))

    @admin.display(description=_lazy("state"))
    def state(self, letter: DeadLetter) -> str:
        """Return how it was resolved, or that it waits."""
        return letter.resolution or _("waits")

    @admin.display(description=_lazy("dropping it"))
    def dropping(self, letter: DeadLetter) -> str:
        """Describe what dropping an open letter would do."""
        if letter.resolved_at is not None:
            return "-"
        try:
            return dead_letters.handler_for(letter).dropping()
        except SunwiError as error:
            return translated(error.detail)

    @admin.action(description=_lazy("Retry the selected dead letters"), permissions=["act"])
    def retry(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """Retry each open letter, and report the result."""
        for letter in letters.filter(resolved_at=None):
            try:
                refusal = dead_letters.retry(letter, clock.now())
            except SunwiError as error:
                messages.error(request, f"{letter}: {translated(error.detail)}")
                continue
            self._report(request, letter, "Retried", refusal)

    @admin.action(description=_lazy("Drop the selected dead letters"), permissions=["act"])
    def drop(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """Drop each open letter, as its app implements it."""
        for letter in letters.filter(resolved_at=None):
            try:
                dead_letters.drop(letter, clock.now())
            except SunwiError as error:
                messages.error(request, f"{letter}: {translated(error.detail)}")
                continue
            self.log_change(request, letter, "Dropped.")
            messages.success(request, _("%(letter)s: dropped.") % {"letter": letter})

    @admin.display(description=_lazy("edit"))
    def edit_link(self, letter: DeadLetter) -> SafeString | str:
        """Return a link to the form that edits an open letter of a standing."""
        if letter.resolved_at is not None or letter.kind != mirror.DEAD_LETTER_KIND:
            return "-"
        page = reverse("admin:foundation_deadletter_edit", args=[letter.pk])
        return format_html('<a href="{}">{}</a>', page, _("Write another standing in its place"))

    def get_urls(self) -> list[URLPattern]:
        """Add the form."""
        edit = self.admin_site.admin_view(self.edit_view)
        return [path("<int:pk>/edit/", edit, name="foundation_deadletter_edit"), *super().get_urls()]

    def edit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Edit the standing that Redis has; the new one is validated like an entry, and the edit is recorded."""
        if not self.has_act_permission(request):
            raise PermissionDenied
        letter = get_object_or_404(DeadLetter, pk=pk, kind=mirror.DEAD_LETTER_KIND, resolved_at=None)
        back = redirect("admin:foundation_deadletter_change", pk)
        try:
            period = mirror.active_period_of(letter)
            form = AmendForm(letter, period, amend_dead_letter.look(letter, period), request.POST or None)
            if form.is_valid():
                self._amend(request, letter, form, f"{describe_standing(period, form.state)}, before {form.before}")
                return back
        except SunwiError as error:
            messages.error(request, f"{letter}: {translated(error.detail)}")
            return back
        context = {**self.admin_site.each_context(request), "title": _("Edit"), "letter": letter, "form": form}
        return TemplateResponse(request, "admin/leaderboards/deadletter/edit.html", {**context, "opts": self.opts})

    def _amend(self, request: HttpRequest, letter: DeadLetter, form: AmendForm, change: str) -> None:
        """Write the standing. A failed attempt is recorded too: if Redis did not answer, it may have written."""
        note = {"to": change}
        try:
            refusal = amend_dead_letter.amend(letter, form.state, form.seen)
            dead_letters.record_action("dead_letter.edited", letter, clock.now(), note | {"refused": bool(refusal)})
        except SunwiError as error:
            dead_letters.record_action("dead_letter.edited", letter, clock.now(), note | {"refused": error.code})
            self.log_change(request, letter, f"Edit to {change}: {error.detail}")
            raise
        self._report(request, letter, f"Edited to {change}", refusal)

    def _report(self, request: HttpRequest, letter: DeadLetter, action: str, refusal: str) -> None:
        """Log the action, and show its result."""
        self.log_change(request, letter, f"{action}: {'refused again' if refusal else 'done'}.")
        if refusal:
            messages.warning(request, _("%(letter)s: refused again: %(why)s") % {"letter": letter, "why": refusal})
        else:
            messages.success(request, _("%(letter)s: done.") % {"letter": letter})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Allow users with the permission to change dead letters."""
        return request.user.has_perm("foundation.change_deadletter")


@admin.register(Difference)
class DifferenceAdmin(ReadOnlyAdmin[Difference]):
    """Standings that ``verify`` found to differ between SQL and Redis, and whether they were repaired."""

    nothing_here = _lazy("Redis and SQL agree wherever they were compared.")
    list_display = ("player", "board", "period_label", "in_sql", "in_redis", "repaired", "found_at")
    list_filter = ("repaired", ("period__board", admin.RelatedOnlyFieldListFilter), "found_at")
    list_select_related = ("period__board",)
    search_fields = ("player__exact",)
    search_help_text = _lazy("A player's whole id.")
    ordering = ("-found_at", "-pk")
    fields = ("player", "board", "period", "in_sql", "in_redis", "repaired", "found_at")

    @admin.display(description=_lazy("board"))
    def board(self, difference: Difference) -> str:
        """Return the board's name."""
        return str(difference.period.board)

    @admin.display(description=_lazy("period"))
    def period_label(self, difference: Difference) -> str:
        """Return the dates of the period, or the name of its competition."""
        return period_in_words(difference.period)
