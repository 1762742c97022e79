"""The admin of the audit log: view, filter and export entries, and undo them. Entries are never edited.

The trap: an entry may reveal something that the user may not see, such as a score behind a freeze. So entries about
rows that the admin does not show to the user are not listed (``visibility.py``).
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import localize
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation.audit.actions import all_subjects, label_of
from foundation.audit.models import AuditEntry, AuditSubject
from leaderboards.admin.audit_log import export
from leaderboards.admin.audit_log.action_filter import ActionFilter
from leaderboards.admin.audit_log.filters import (
    ActorFilter,
    AddressFilter,
    SubjectFilter,
    UndoneFilter,
    requested_subject,
)
from leaderboards.admin.audit_log.period_names import load_period_names, period_id_in
from leaderboards.admin.audit_log.subject_names import load_subject_names
from leaderboards.admin.audit_log.values import actor_name, details, field_diffs
from leaderboards.admin.audit_log.visibility import (
    entries_url,
    may_see_addresses,
    may_undo,
    row_url,
    visible_entries,
)
from leaderboards.admin.undo.bulk import UndoSelectedAdmin
from leaderboards.admin.undo.single import UndoEntryAdmin
from leaderboards.admin.wording.descriptions import exactly_in_utc
from leaderboards.selectors.exports.export_slots import with_export_slot

LOG = "admin:foundation_auditentry_changelist"
MOST_SUBJECTS = 20  # shown for an entry; the CSV file has all of them


@admin.register(AuditEntry)
class AuditEntryAdmin(UndoEntryAdmin, UndoSelectedAdmin):
    """Actions of people, keys, commands and the schedule, the latest first."""

    audited_as = None
    list_display = ("at", "what", "whose", "address_shown", "about", "short_reason", "is_undone_shown")
    list_display_links = ("at", "what")
    list_filter = (ActionFilter, ActorFilter, AddressFilter, SubjectFilter, UndoneFilter, "at")
    list_select_related = ("by", "undone_by")
    date_hierarchy = None
    search_fields = ("reason__icontains", "by_name__iexact", "key_name__iexact")
    search_help_text = _lazy("Words of a reason, or the whole name of an account or a service key.")
    ordering = ("-at", "-pk")
    fields = ("at", "what", "whose", "address_shown", "about", "reason", "changed", "shown_details", "undoing")
    change_form_template = "admin/audit/entry.html"
    change_list_template = "admin/audit/log.html"

    class Media:
        css = {"all": ["css/admin-lists.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """Query the entries that the user may see, with their subjects."""
        return visible_entries(request, super().get_queryset(request)).prefetch_related("subjects")

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Show addresses only to users who may view accounts."""
        return _visible_items(request, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Offer the filter by address only to users who may view accounts."""
        return _visible_items(request, super().get_list_filter(request))

    def get_fields(self, request: HttpRequest, obj: AuditEntry | None = None) -> list[Any]:
        """Show addresses only to users who may view accounts, and ``undoing`` only where there is any."""
        fields = _visible_items(request, super().get_fields(request, obj))
        is_undo = obj is not None and (obj.undoes is not None or hasattr(obj, "undone_by"))
        return fields if is_undo else [each for each in fields if each != "undoing"]

    def get_urls(self) -> list[URLPattern]:
        """Add the export."""
        view = self.admin_site.admin_view(self.export_view)
        return [path("export/", view, name="foundation_auditentry_export"), *super().get_urls()]

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each entry the names of its subjects and period, with one SQL statement for each kind."""
        changelist = super().get_changelist_instance(request)
        entries = list(changelist.result_list)
        names = load_subject_names(subject for entry in entries for subject in entry.subjects.all())
        periods = load_period_names(entries)
        for entry in entries:
            entry.subject_names, entry.period_names = names, periods
        changelist.result_list = entries
        return changelist

    # -- Columns and fields ---------------------------------------------------------------------

    @admin.display(description=_lazy("what"), ordering="act")
    def what(self, entry: AuditEntry) -> str:
        """Return the action's label."""
        return str(label_of(entry.act))

    @admin.display(description=_lazy("by"))
    def whose(self, entry: AuditEntry) -> str:
        """Return the account, the key, the command, or the schedule."""
        return actor_name(entry)

    @admin.display(description=_lazy("address"), ordering="address")
    def address_shown(self, entry: AuditEntry) -> SafeString | str:
        """Return the address, with a link to all entries from there."""
        if not entry.address:
            return "-"
        query = urlencode({AddressFilter.parameter_name: entry.address})
        return format_html('<a href="{}?{}">{}</a>', reverse(LOG), query, entry.address)

    @admin.display(description=_lazy("about"))
    def about(self, entry: AuditEntry) -> SafeString | str:
        """Return up to ``MOST_SUBJECTS`` subjects, with links to their entries and to themselves, and the period."""
        kinds, subjects = all_subjects(), list(entry.subjects.all())[:MOST_SUBJECTS]
        names = getattr(entry, "subject_names", None)
        names = load_subject_names(subjects) if names is None else names
        lines = [
            (
                entries_url(each.kind, each.key),
                kinds[each.kind].label if each.kind in kinds else each.kind,
                each.key,
                _named(each, names.get((each.kind, each.key), "")),
            )
            for each in subjects
        ]
        about = format_html_join(", ", '<a href="{}">{} {}</a> {}', lines)
        period = _period_name(entry)
        return format_html("{}, {}", about, period) if about and period else about or period or "-"

    @admin.display(description=_lazy("reason"))
    def short_reason(self, entry: AuditEntry) -> str:
        """Return the beginning of the reason."""
        return entry.reason[:120] or "-"

    @admin.display(description=_lazy("undone"))
    def is_undone_shown(self, entry: AuditEntry) -> str:
        """Return "undone" for an entry that another one undid, else nothing."""
        return _("undone") if hasattr(entry, "undone_by") else ""

    @admin.display(description=_lazy("changed"))
    def changed(self, entry: AuditEntry) -> SafeString | str:
        """Return the old and new values, one field a line."""
        rows = field_diffs(entry.before, entry.after)
        return render_to_string("admin/audit/compared.html", {"rows": rows}) if rows else "-"

    @admin.display(description=_lazy("details"))
    def shown_details(self, entry: AuditEntry) -> SafeString | str:
        """Return the notes of the entry."""
        period = _period_name(entry)
        note = entry.note | ({"period": period} if period else {})
        return format_html_join("", "{}: {}<br>", details(note)) or "-"

    @admin.display(description=_lazy("undoing"))
    def undoing(self, entry: AuditEntry) -> SafeString | str:
        """Return links to the entry that it undid, and to the one that undid it."""
        url_name = "admin:foundation_auditentry_change"
        links = []
        if entry.undoes is not None:
            undid = _("It undid an earlier entry: %(what)s, %(when)s.") % _action_and_time(entry.undoes)
            links.append((reverse(url_name, args=[entry.undoes.pk]), undid))
        if hasattr(entry, "undone_by"):
            was_undone = _("It was undone on %(when)s.") % _action_and_time(entry.undone_by)
            links.append((reverse(url_name, args=[entry.undone_by.pk]), was_undone))
        return format_html_join(" ", '<a href="{}">{}</a>', links) or "-"

    # -- Pages ----------------------------------------------------------------------------------

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the log, or the history of one board, competition, player or other row."""
        subject = requested_subject(request)
        context = {
            "export_address": f"{reverse('admin:foundation_auditentry_export')}?{request.GET.urlencode()}",
            **({"title": _("History of %(what)s") % {"what": subject.name}, "subject": subject} if subject else {}),
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one entry, with a link to undo it if the user may."""
        entry = self.get_object(request, object_id)
        can_undo = entry is not None and not entry.is_undone and may_undo(request, entry)
        name = (
            {} if entry is None else {"subtitle": f"{capfirst(str(label_of(entry.act)))}, {exactly_in_utc(entry.at)}"}
        )
        context = {"can_undo": can_undo} | name | (extra_context or {})
        return super().change_view(request, object_id, form_url, context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Raise ``Http404``: entries never change, and have no history."""
        raise Http404

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Return the filtered list as CSV; 503 if all export slots are in use."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        entries = self.get_changelist_instance(request).get_queryset(request)
        rows = export.lines(entries, addresses=may_see_addresses(request))
        response = StreamingHttpResponse(with_export_slot(rows), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="audit-log.csv"'
        return response


def _named(subject: AuditSubject, name: str) -> SafeString | str:
    """Return the name, with a link to the row itself where the admin has a page of it."""
    address = row_url(subject.kind, subject.key) if name else ""
    return format_html('<a href="{}">{}</a>', address, name) if address else name


def _period_name(entry: AuditEntry) -> str:
    """Return the period that the entry notes, by label and board; "" for none, or a deleted one."""
    number = period_id_in(entry.note)
    names = getattr(entry, "period_names", None)
    names = load_period_names([entry]) if names is None else names
    return "" if number is None else names.get(number, "")


def _action_and_time(entry: AuditEntry) -> dict[str, str]:
    return {"what": str(label_of(entry.act)), "when": localize(timezone.localtime(entry.at))}


def _visible_items(request: HttpRequest, items: Iterable[Any]) -> list[Any]:
    """Return columns or filters without those of addresses, if the user may not see addresses."""
    hidden = () if may_see_addresses(request) else ("address_shown", AddressFilter)
    return [each for each in items if each not in hidden]
