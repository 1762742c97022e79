"""The latest entries of the audit log that the reader may see: people's, else those of keys, else the schedule's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from accounts.services.audit_actions import SIGNED_IN, SIGNED_OUT
from foundation.audit.actions import all_subjects, label_of
from foundation.audit.models import AuditEntry
from leaderboards.admin.audit_log.subject_names import load_subject_names
from leaderboards.admin.audit_log.values import actor_name
from leaderboards.admin.audit_log.visibility import visible_entries

SHOWN = 8
LOOKED_AT = 200
NOT_LISTED = (SIGNED_IN, SIGNED_OUT)


@dataclass(frozen=True, slots=True)
class RecentAction:
    """An entry of the log as text."""

    at: datetime
    by: str
    what: str
    about: str
    address: str


def recent_actions(request: HttpRequest) -> Sequence[RecentAction]:
    """Return what people did among the latest entries, latest first; without any, what keys did, or the schedule."""
    latest = visible_entries(request, AuditEntry.objects.exclude(act__in=NOT_LISTED))
    rows = AuditEntry.objects.filter(pk__in=latest.values("pk")[:LOOKED_AT]).prefetch_related("subjects")
    narrowed = (rows.exclude(by_name=""), rows.exclude(key_name=""), rows)
    entries = next(filter(None, (list(each[:SHOWN]) for each in narrowed)), [])
    names = load_subject_names(subject for entry in entries for subject in entry.subjects.all())
    kinds = all_subjects()
    recent = []
    for entry in entries:
        first = next(iter(entry.subjects.all()), None)
        about = ""
        if first is not None:
            kind = str(kinds[first.kind].label) if first.kind in kinds else first.kind
            about = names.get((first.kind, first.key)) or f"{kind} {first.key}"
        address = reverse("admin:foundation_auditentry_change", args=[entry.pk])
        recent.append(RecentAction(entry.at, actor_name(entry), str(label_of(entry.act)), about, address))
    return recent
