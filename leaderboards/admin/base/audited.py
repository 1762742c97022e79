"""Audit entries for forms of the admin: every row that is added, changed or deleted, with old and new values.

An admin whose changes go through a service sets ``audited_as`` to None: the service writes the entry, in its own
transaction. Django's own log is still written, but only for the list of recent actions on the first page. The trap: the
values of a form are only known in ``construct_change_message``.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote as urlquote

from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import BaseForm, Form, ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import row_values, subject_kind, subjects_of, to_json_value
from foundation.generics import ModelAdmin, Subscriptable
from foundation.http.client_address import signed_in
from foundation.http.own_transactions import own_transactions
from leaderboards.admin.base.labels import label_form, label_inline

Row = TypeVar("Row", bound=Model)
Values = dict[str, Any]
_SET = "set"
VIEW_AUDIT_LOG = "foundation.view_auditentry"


class AuditedAdmin(Subscriptable, ModelAdmin[Row]):
    """An admin whose saves and deletions are entries ``<audited_as>.added``, ``.changed`` and ``.deleted``."""

    audited_as: ClassVar[str | None] = "row"

    @property
    def urls(self) -> list[URLPattern]:
        """The addresses of the pages. Their services own their transactions, as Django's forms do."""
        patterns = self.get_urls()
        own_transactions(patterns)
        return patterns

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Return Django's message, and keep the form's old and new values for the audit entry."""
        request.audited = _old_and_new_values(form, formsets or ())  # type: ignore[attr-defined]  # kept on this request for its answer
        return super().construct_change_message(request, form, formsets, add)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Give a name to each control that Django shows without one."""
        label_form(context["adminform"].form)
        for inline in context["inline_admin_formsets"]:
            label_inline(inline.formset)
        return super().render_change_form(request, context, *args, **kwargs)

    def log_addition(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        """Record an added row."""
        self._record(request, obj, "added", message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        """Record a changed row, unless ``message`` is a string: then it is an action, recorded by its service."""
        self._record(request, obj, "changed", message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Record one deleted row, in the transaction that deletes it.

        The list's action passes a queryset, and logs before its transaction begins; ``delete_queryset`` records it.
        """
        if not isinstance(queryset, QuerySet):
            for row in queryset:
                self._record_deletion(request, row)
        return super().log_deletions(request, queryset)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Row]) -> None:
        """Delete all rows and record them, in one transaction."""
        with transaction.atomic():
            for row in queryset:
                self._record_deletion(request, row)
            super().delete_queryset(request, queryset)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect from Django's history of a row to the audit log of the row."""
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not (self.has_view_or_change_permission(request, row) and request.user.has_perm(VIEW_AUDIT_LOG)):
            raise PermissionDenied
        audit_log = reverse("admin:foundation_auditentry_changelist")
        return redirect(f"{audit_log}?subject={subject_kind(type(row))}:{urlquote(str(row.pk), safe='')}")

    def _record(self, request: HttpRequest, row: Row, verb: str, message: Any) -> None:
        before, after = getattr(request, "audited", ({}, {}))
        is_action = isinstance(message, str)
        if self.audited_as is None or is_action or not (before or after):
            return
        self._write_entry(request, row, verb, before, after)

    def _record_deletion(self, request: HttpRequest, row: Row) -> None:
        if self.audited_as is not None:
            self._write_entry(request, row, "deleted", row_values(row), {})

    def _write_entry(self, request: HttpRequest, row: Row, verb: str, before: Values, after: Values) -> None:
        record(
            f"{self.audited_as}.{verb}",
            at=clock.now(),
            by=signed_in(request),
            subjects=subjects_of(row),
            before=before,
            after=after,
            note={"row": str(row)},
        )


def _old_and_new_values(form: BaseForm, formsets: Any) -> tuple[Values, Values]:
    """Return the old and the new values of a form and its inline forms."""
    before, after = _form_values(form)
    for formset in formsets:
        for number, inline in enumerate(_changed_forms(formset)):
            old, new = _form_values(inline)
            if formset.can_delete and formset._should_delete_form(inline):
                old, new = {name: to_json_value(name, value) for name, value in inline.initial.items()}, {}
            key = f"{formset.model._meta.verbose_name} {inline.instance.pk or f'+{number}'}"
            before |= {key: old} if old else {}
            after |= {key: new} if new else {}
    return before, after


def _changed_forms(formset: Any) -> "Iterator[ModelForm[Any]]":
    for form in formset.forms:
        is_deleted = formset.can_delete and formset._should_delete_form(form)
        if form.has_changed() and not (is_deleted and form.instance.pk is None):
            yield form


def _form_values(form: BaseForm) -> tuple[Values, Values]:
    assert isinstance(form, Form | ModelForm)  # noqa: S101 - for the type checker
    changed = form.changed_data
    initial = {name: form.get_initial_for_field(form.fields[name], name) for name in changed if name in form.fields}
    before = {name: to_json_value(name, value) for name, value in initial.items() if value not in (None, "", [])}
    # Django's password form lists "password" as changed, but has no such field.
    return before, {name: to_json_value(name, form.cleaned_data.get(name, _SET)) for name in changed}
