"""What was done lately, from the audit log, as far as its reader may see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from accounts.services.acts import SIGNED_IN, SIGNED_OUT
from foundation.audit.acts import all_subjects, label_of
from foundation.audit.models import AuditEntry
from leaderboards.admin.audit_names import names_of
from leaderboards.admin.audit_sight import seen_by
from leaderboards.admin.audit_values import who

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
    rows = seen_by(request, acts.select_related("by").prefetch_related("subjects"))
    entries = list(rows[:SHOWN])
    names = names_of(subject for entry in entries for subject in entry.subjects.all())
    kinds = all_subjects()
    deeds = []
    for entry in entries:
        first = next(iter(entry.subjects.all()), None)
        about = ""
        if first is not None:
            kind = str(kinds[first.kind].label) if first.kind in kinds else first.kind
            about = names.get((first.kind, first.key)) or f"{kind} {first.key}"
        address = reverse("admin:foundation_auditentry_change", args=[entry.pk])
        deeds.append(Deed(entry.at, who(entry), str(label_of(entry.act)), about, address))
    return deeds
