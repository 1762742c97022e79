"""By what the audit log is filtered besides its acts: who did it, what it is about, whether it was undone."""

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
SAMPLED_ENTRIES = 2000  # the latest entries, for the names that the filter offers
LONGEST_KEY = 100
Entries = QuerySet[AuditEntry]
Choices = list[tuple[str, Any]]

_PEOPLE, _KEYS, _NEITHER = "people", "keys", "neither"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a list is about: how it is called, and the admin's address of it (empty: none)."""

    name: str
    address: str


def requested_subject(request: HttpRequest) -> Subject | None:
    """The one board, competition, player or other row whose entries an address asks for."""
    kind, _, key = request.GET.get(SubjectFilter.parameter_name, "").partition(":")
    if not key:
        return None
    kinds = all_subjects()
    return Subject(f"{kinds[kind].label if kind in kinds else kind} {key}", row_url(kind, key))


class ActorFilter(admin.SimpleListFilter):
    """By who did it: an account or a key that is named, people, keys, or neither."""

    title = _lazy("person or key")
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """The groups first, then the accounts and keys that acted lately; others are found by the search."""
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
        """The entries of the chosen ones."""
        group, _, name = (self.value() or "").partition(":")
        if name:
            return queryset.filter(key_name=name) if group == "key" else queryset.filter(by_name=name)
        if group == _PEOPLE:
            return queryset.exclude(by_name="")
        if group == _KEYS:
            return queryset.exclude(key_name="")
        return queryset.filter(by_name="", key_name="") if group == _NEITHER else queryset


class AddressFilter(admin.SimpleListFilter):
    """By where it was done from; offered to who may look at accounts alone."""

    title = _lazy("address")
    parameter_name = "address"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """The addresses of late; an older one is asked for by the link at its entry."""
        seen = visible_entries(request, AuditEntry.objects.order_by("-at"))
        latest = list(seen.values_list("address", flat=True)[:SAMPLED_ENTRIES])
        return [(each, each) for each in sorted({*latest, self.value() or ""} - {""})[:MOST_CHOICES]]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """The entries from there."""
        asked = self.value()
        return queryset.filter(address=asked[:LONGEST_KEY]) if asked else queryset


class SubjectFilter(admin.SimpleListFilter):
    """By what it is about: a kind such as ``board``, or one row such as ``board:3``."""

    title = _lazy("subject")
    parameter_name = "subject"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Every kind."""
        return [(each.kind, each.label) for each in all_subjects().values()]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """The entries about it."""
        kind, _, key = (self.value() or "").partition(":")
        if not kind:
            return queryset
        about = AuditSubject.objects.filter(entry=OuterRef("pk"), kind=kind)
        return queryset.filter(Exists(about.filter(key=key[:LONGEST_KEY]) if key else about))


class UndoneFilter(admin.SimpleListFilter):
    """By whether it was undone."""

    title = _lazy("undone")
    parameter_name = "undone"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        """Undone ones, and those that undid."""
        return [("yes", _lazy("was undone")), ("undoes", _lazy("undid another"))]

    def queryset(self, request: HttpRequest, queryset: Entries) -> Entries:
        """The chosen ones."""
        if self.value() == "yes":
            return queryset.filter(undone_by__isnull=False)
        return queryset.filter(undoes__isnull=False) if self.value() == "undoes" else queryset
