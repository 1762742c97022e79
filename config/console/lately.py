"""What was done lately, from the audit log, as far as its reader may see it."""

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
COMES_AND_GOES = (SIGNED_IN, SIGNED_OUT)  # who signs in has done nothing yet


@dataclass(frozen=True, slots=True)
class Deed:
    """One entry of the log in words."""

    at: datetime
    by: str
    what: str
    about: str
    address: str


def done_lately(request: HttpRequest) -> Sequence[Deed]:
    """The latest first."""
    acts = AuditEntry.objects.exclude(act__in=COMES_AND_GOES)
    rows = visible_entries(request, acts.select_related("by").prefetch_related("subjects"))
    entries = list(rows[:SHOWN])
    names = load_subject_names(subject for entry in entries for subject in entry.subjects.all())
    kinds = all_subjects()
    deeds = []
    for entry in entries:
        first = next(iter(entry.subjects.all()), None)
        about = ""
        if first is not None:
            kind = str(kinds[first.kind].label) if first.kind in kinds else first.kind
            about = names.get((first.kind, first.key)) or f"{kind} {first.key}"
        address = reverse("admin:foundation_auditentry_change", args=[entry.pk])
        deeds.append(Deed(entry.at, actor_name(entry), str(label_of(entry.act)), about, address))
    return deeds
