"""What people type in the admin, in the audit log: every row that is added, changed or deleted, with before and after.

What goes through a service is recorded there, in its transaction; such an admin sets ``audited_as`` to None. Django's
own log is kept beside it for the list of recent actions on the first page, and nothing else reads it. The trap: the
values of a form are known while its message is made, and only there.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import BaseForm, Form, ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import row_values, subject_kind, subjects_of, to_json_value
from foundation.http.client_address import signed_in

Row = TypeVar("Row", bound=Model)
Values = dict[str, Any]
_SET = "set"
VIEW_AUDIT_LOG = "foundation.view_auditentry"


class AuditedAdmin(admin.ModelAdmin[Row]):
    """An admin whose saves and deletions are entries ``<audited_as>.added``, ``.changed`` and ``.deleted``."""

    audited_as: ClassVar[str | None] = "row"

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Django's own, and on the way what the form changed from and to."""
        request.audited = _values(form, formsets or ())  # type: ignore[attr-defined]  # ours, for one request
        return super().construct_change_message(request, form, formsets, add)

    def log_addition(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        """A row that was typed."""
        self._record(request, obj, "added", message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        """A row that was typed anew; a text for message is an act, which its service has recorded."""
        self._record(request, obj, "changed", message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """One row, in the transaction that deletes it. Several are recorded as they go, since the list's action logs
        before its transaction begins: it alone gives a query. What was sent says nothing of which of the two it is."""
        if not isinstance(queryset, QuerySet):
            for row in queryset:
                self._record_deletion(request, row)
        return super().log_deletions(request, queryset)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Row]) -> None:
        """All of them with their entries, or none."""
        with transaction.atomic():
            for row in queryset:
                self._record_deletion(request, row)
            super().delete_queryset(request, queryset)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The audit log of one row, in the place of Django's own history."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        if not (self.has_view_or_change_permission(request, row) and request.user.has_perm(VIEW_AUDIT_LOG)):
            raise PermissionDenied
        address = reverse("admin:foundation_auditentry_changelist")
        return redirect(f"{address}?subject={subject_kind(type(row))}:{row.pk}")

    def _record(self, request: HttpRequest, row: Row, verb: str, message: Any) -> None:
        before, after = getattr(request, "audited", ({}, {}))
        is_act = isinstance(message, str)
        if self.audited_as is None or is_act or not (before or after):
            return
        self._entry(request, row, verb, before, after)

    def _record_deletion(self, request: HttpRequest, row: Row) -> None:
        if self.audited_as is not None:
            self._entry(request, row, "deleted", row_values(row), {})

    def _entry(self, request: HttpRequest, row: Row, verb: str, before: Values, after: Values) -> None:
        record(
            f"{self.audited_as}.{verb}",
            at=clock.now(),
            by=signed_in(request),
            subjects=subjects_of(row),
            before=before,
            after=after,
            note={"row": str(row)},
        )


def _values(form: BaseForm, formsets: Any) -> tuple[Values, Values]:
    """What a form and the rows in it change, from and to."""
    before, after = _of_form(form)
    for formset in formsets:
        for number, inline in enumerate(_typed(formset)):
            was, now = _of_form(inline)
            if formset.can_delete and formset._should_delete_form(inline):
                was, now = {name: to_json_value(name, value) for name, value in inline.initial.items()}, {}
            key = f"{formset.model._meta.verbose_name} {inline.instance.pk or f'+{number}'}"
            before |= {key: was} if was else {}
            after |= {key: now} if now else {}
    return before, after


def _typed(formset: Any) -> Iterator[ModelForm[Any]]:
    for form in formset.forms:
        is_deleted = formset.can_delete and formset._should_delete_form(form)
        if form.has_changed() and not (is_deleted and form.instance.pk is None):
            yield form


def _of_form(form: BaseForm) -> tuple[Values, Values]:
    assert isinstance(form, Form | ModelForm)  # noqa: S101 - for the type checker
    changed = form.changed_data
    given = {name: form.get_initial_for_field(form.fields[name], name) for name in changed if name in form.fields}
    before = {name: to_json_value(name, value) for name, value in given.items() if value not in (None, "", [])}
    # The form of a new password says that it changes one, and gives no such field.
    return before, {name: to_json_value(name, form.cleaned_data.get(name, _SET)) for name in changed}
