"""What could not be done, and what was found to differ: dead letters with their reason, and differences."""

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
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.failures.amend_form import AmendForm, describe_standing
from leaderboards.models import Difference
from leaderboards.refusals import translated
from leaderboards.services.sync import amend_dead_letter, mirror


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin[DeadLetter]):
    """Work that SQL refused: why, and whether it is done. Retry it once the cause is gone, or drop it.

    What both come to is known by the app whose work it is. A standing can be edited, too.
    """

    list_display = ("subject", "kind", "short_reason", "tries", "created_at", "failed_at", "state")
    list_filter = (("resolved_at", admin.EmptyFieldListFilter), "kind")
    search_fields = ("subject__icontains",)
    ordering = ("-failed_at",)
    actions = ("retry", "drop")
    fields = (
        *("kind", "subject", "reason", "shown_payload", "tries", "created_at", "failed_at"),
        *("resolved_at", "resolution", "edit_link", "dropping"),
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

    @admin.display(description=_lazy("dropping it"))
    def dropping(self, letter: DeadLetter) -> str:
        """What would come of it, while there is something to decide."""
        if letter.resolved_at is not None:
            return "-"
        try:
            return dead_letters.handler_for(letter).dropping()
        except SunwiError as error:
            return translated(error.detail)

    @admin.action(description=_lazy("Retry the selected dead letters"), permissions=["act"])
    def retry(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """Done now, or why not."""
        for letter in letters.filter(resolved_at=None):
            try:
                why = dead_letters.retry(letter, clock.now())
            except SunwiError as error:
                messages.error(request, f"{letter}: {translated(error.detail)}")
                continue
            self._note(request, letter, "Retried", why)

    @admin.action(description=_lazy("Drop the selected dead letters"), permissions=["act"])
    def drop(self, request: HttpRequest, letters: QuerySet[DeadLetter]) -> None:
        """Given up, as the app says whose work it is."""
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
        """A way to the form, while there is something to decide."""
        if letter.resolved_at is not None or letter.kind != mirror.DEAD_LETTER_KIND:
            return "-"
        address = reverse("admin:foundation_deadletter_edit", args=[letter.pk])
        return format_html('<a href="{}">{}</a>', address, _("Write another standing in its place"))

    def get_urls(self) -> list[URLPattern]:
        """One more: the form."""
        edit = self.admin_site.admin_view(self.edit_view)
        return [path("<int:pk>/edit/", edit, name="foundation_deadletter_edit"), *super().get_urls()]

    def edit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The standing as Redis has it, to be written anew: judged as entries are, and noted with who and when."""
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

    def _amend(self, request: HttpRequest, letter: DeadLetter, form: AmendForm, what: str) -> None:
        """One that did not get through is noted too: where Redis was silent, it may have acted."""
        try:
            why = amend_dead_letter.amend(letter, form.state, form.seen)
            dead_letters.record_action("dead_letter.edited", letter, clock.now(), {"to": what, "refused": bool(why)})
        except SunwiError as error:
            dead_letters.record_action("dead_letter.edited", letter, clock.now(), {"to": what, "refused": error.code})
            self.log_change(request, letter, f"Edit to {what}: {error.detail}")
            raise
        self._note(request, letter, f"Edited to {what}", why)

    def _note(self, request: HttpRequest, letter: DeadLetter, action: str, why: str) -> None:
        """Say what came of it, and keep who did it."""
        self.log_change(request, letter, f"{action}: {'refused again' if why else 'done'}.")
        if why:
            messages.warning(request, _("%(letter)s: refused again: %(why)s") % {"letter": letter, "why": why})
        else:
            messages.success(request, _("%(letter)s: done.") % {"letter": letter})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Anybody who may change dead letters; nobody types in them."""
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
