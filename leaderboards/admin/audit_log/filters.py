"""Filters of the audit log beside the action: actor, address, subject, and whether the entry was undone."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _lazy

from foundation.audit.actions import all_subjects
from foundation.audit.models import AuditEntry, AuditSubject
from leaderboards.admin.audit_log.visibility import row_url, visible_entries

MOST_CHOICES = 50
SAMPLED_ENTRIES = 2000  # the latest entries, whose names and addresses the filters offer
LONGEST_KEY = 100
Entries = QuerySet[AuditEntry]
Choices = list[tuple[str, Any]]

_PEOPLE, _KEYS, _NEITHER = "people", "keys", "neither"


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a history: its name, and its URL in the admin ("" without one)."""

    name: str
    address: str


def requested_subject(request: HttpRequest) -> Subject | None:
    """Return the row (board, competition, player …) that the query string filters by."""
    kind, _, key = request.GET.get(SubjectFilter.parameter_name, "").partition(":")
    if not key:
        return None
    kinds = all_subjects()
    return Subject(f"{kinds[kind].label if kind in kinds else kind} {key}", row_url(kind, key))


class ActorFilter(admin.SimpleListFilter):
    """Filter by actor: one account or key, all people, all keys, or neither."""

    title = _lazy("person or key")
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Offer the groups, then accounts and keys of recent entries; others are found by the search."""
        seen = visible_entries(request, AuditEntry.objects.order_by("-at"))
        latest = list(seen.values_list("by_name", "key_name")[:SAMPLED_ENTRIES])
        names, keys = (sorted({pair[nth] for pair in latest if pair[nth]})[:MOST_CHOICES] for nth in (0, 1))
        return [
            (_PEOPLE, _lazy("people")),
            (_KEYS, _lazy("service keys")),
            (_NEITHER, _lazy("commands and the schedule")),
            *((f"account:{name}", name) for name in names),
            *((f"key:{name}", f"{name} 🔑") for name in keys),
        ]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """Filter by the chosen actor or group."""
        group, _, name = (self.value() or "").partition(":")
        if name:
            return queryset.filter(key_name=name) if group == "key" else queryset.filter(by_name=name)
        if group == _PEOPLE:
            return queryset.exclude(by_name="")
        if group == _KEYS:
            return queryset.exclude(key_name="")
        return queryset.filter(by_name="", key_name="") if group == _NEITHER else queryset


class AddressFilter(admin.SimpleListFilter):
    """Filter by address; only offered to users who may view accounts."""

    title = _lazy("address")
    parameter_name = "address"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Offer the addresses of recent entries; the link at an older entry filters by its address."""
        seen = visible_entries(request, AuditEntry.objects.order_by("-at"))
        latest = list(seen.values_list("address", flat=True)[:SAMPLED_ENTRIES])
        return [(each, each) for each in sorted({*latest, self.value() or ""} - {""})[:MOST_CHOICES]]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """Filter by the chosen address."""
        address = self.value()
        return queryset.filter(address=address[:LONGEST_KEY]) if address else queryset


class SubjectFilter(admin.SimpleListFilter):
    """Filter by subject: a kind such as ``board``, or one row such as ``board:3``."""

    title = _lazy("subject")
    parameter_name = "subject"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Offer every kind."""
        return [(each.kind, each.label) for each in all_subjects().values()]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """Filter by the chosen kind or row."""
        kind, _, key = (self.value() or "").partition(":")
        if not kind:
            return queryset
        about = AuditSubject.objects.filter(entry=OuterRef("pk"), kind=kind)
        return queryset.filter(Exists(about.filter(key=key[:LONGEST_KEY]) if key else about))


class UndoneFilter(admin.SimpleListFilter):
    """Filter entries that were undone, or that undid another."""

    title = _lazy("undone")
    parameter_name = "undone"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Offer both."""
        return [("yes", _lazy("was undone")), ("undoes", _lazy("undid another"))]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """Filter by the chosen one."""
        if self.value() == "yes":
            return queryset.filter(undone_by__isnull=False)
        return queryset.filter(undoes__isnull=False) if self.value() == "undoes" else queryset
