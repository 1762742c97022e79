"""What became of submissions, in their list: a filter, and a column that says it of each row.

A submission is void since a moment, whoever voided it; that a purge did, that its value was edited and that it came out
of quarantine stand in rows of their own, which a page of the list asks for once.
"""

from collections.abc import Collection
from typing import Any

from django.contrib import admin
from django.db.models import BigIntegerField, QuerySet
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext, pgettext_lazy

from foundation.audit.models import AuditSubject
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import PurgedSubmission, Submission, SubmissionEdit
from leaderboards.services.moderation.review_quarantine import ACCEPTED

Words = dict[int, list[str]]
_COUNTS, _VOID, _PURGED, _EDITED, _ACCEPTED = "counts", "void", "purged", "edited", "accepted"


class StateFilter(admin.SimpleListFilter):
    """By whether they count, and by what was done to them."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Those that wait in quarantine are no submissions yet: they have a list of their own."""
        return [
            (_COUNTS, pgettext_lazy("a submission", "counts")),
            (_VOID, _lazy("void")),
            (_PURGED, _lazy("void by a purge")),
            (_EDITED, _lazy("edited")),
            (_ACCEPTED, _lazy("accepted out of quarantine")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        """The chosen ones."""
        asked = self.value()
        if asked in (_COUNTS, _VOID):
            return queryset.filter(voided_at__isnull=asked == _COUNTS)
        rows = {
            _PURGED: PurgedSubmission.objects.values("submission"),
            _EDITED: _edits().values("submission"),
            _ACCEPTED: _accepted().values("pk"),
        }
        return queryset.filter(pk__in=rows[asked]) if asked in rows else queryset


def states_of(rows: Collection[Submission]) -> Words:
    """By number: what became of each of these, in words; "counts" where nothing else did."""
    numbers = [row.pk for row in rows]
    purged = set(PurgedSubmission.objects.filter(pk__in=numbers).values_list("pk", flat=True))
    edited = set(_edits().filter(submission__in=numbers).values_list("submission", flat=True))
    accepted = set(_accepted().filter(pk__in=numbers).values_list("pk", flat=True))
    found: Words = {}
    for row in rows:
        found[row.pk] = [_void_in_words(row, row.pk in purged) if row.voided_at else pgettext("a submission", "counts")]
        found[row.pk] += [_("edited")] if row.pk in edited else []
        found[row.pk] += [_("accepted out of quarantine")] if row.pk in accepted else []
    return found


def _void_in_words(row: Submission, is_purged: bool) -> str:
    said = _("void by a purge since %(when)s") if is_purged else _("void since %(when)s")
    return said % {"when": in_utc(row.voided_at)} if row.voided_at else ""


def _edits() -> QuerySet[SubmissionEdit]:
    """The edits that stand."""
    return SubmissionEdit.objects.filter(undone_at=None).order_by()


def _accepted() -> QuerySet[Submission]:
    """Those by which entries out of quarantine count, as far as the audit log is kept."""
    subjects = AuditSubject.objects.filter(kind="submission", entry__act=ACCEPTED)
    numbers = subjects.annotate(number=Cast("key", BigIntegerField())).values("number")
    return Submission.objects.filter(pk__in=numbers).order_by()
