"""The state of submissions in their list: a filter and a column.

``voided_at`` only says that a submission is void. Whether a purge voided it, whether it was edited, and whether it was
accepted from quarantine are in rows of other tables, read once for a page.
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
from foundation.numbers import whole_number
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Board, PurgedSubmission, Standing, Submission, SubmissionEdit
from leaderboards.services.moderation.review_quarantine import ACCEPTED

MOST_BOARDS = 200
Words = dict[int, list[str]]
_COUNTS, _VOID, _PURGED, _EDITED, _ACCEPTED = "counts", "void", "purged", "edited", "accepted"


class BoardOfPlayerFilter(admin.SimpleListFilter):
    """Filter one player's submissions by board; the boards are those that the player has a standing on."""

    title = _lazy("board")
    parameter_name = "board"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the boards by name, at most ``MOST_BOARDS``."""
        player = whole_number(request.GET.get("player__id__exact"))
        periods = Standing.objects.filter(player=player).values("period__board")
        boards = Board.objects.filter(pk__in=periods).order_by("name", "pk")[:MOST_BOARDS] if player else ()
        return [(str(board.pk), board.name) for board in boards]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        """Filter by the chosen board."""
        board = whole_number(self.value())
        return queryset if board is None else queryset.filter(board=board)


class StateFilter(admin.SimpleListFilter):
    """Filter by whether submissions count, and by what was done to them."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the states; entries that wait in quarantine are no submissions yet, and have a list of their own."""
        return [
            (_COUNTS, pgettext_lazy("a submission", "counts")),
            (_VOID, _lazy("void")),
            (_PURGED, _lazy("void by a purge")),
            (_EDITED, _lazy("edited")),
            (_ACCEPTED, _lazy("accepted out of quarantine")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        """Filter by the chosen state."""
        state = self.value()
        if state in (_COUNTS, _VOID):
            return queryset.filter(voided_at__isnull=state == _COUNTS)
        rows = {
            _PURGED: PurgedSubmission.objects.values("submission"),
            _EDITED: _edits().values("submission"),
            _ACCEPTED: _accepted().values("pk"),
        }
        return queryset.filter(pk__in=rows[state]) if state in rows else queryset


def states_of(rows: Collection[Submission]) -> Words:
    """Return the states of these submissions as text, by pk; "counts" for a valid one."""
    numbers = [row.pk for row in rows]
    purged = set(PurgedSubmission.objects.filter(pk__in=numbers).values_list("pk", flat=True))
    edited = set(_edits().filter(submission__in=numbers).values_list("submission", flat=True))
    accepted = set(_accepted().filter(pk__in=numbers).values_list("pk", flat=True))
    states: Words = {}
    for row in rows:
        states[row.pk] = [_void_text(row, row.pk in purged) if row.voided_at else pgettext("a submission", "counts")]
        states[row.pk] += [_("edited")] if row.pk in edited else []
        states[row.pk] += [_("accepted out of quarantine")] if row.pk in accepted else []
    return states


def _void_text(row: Submission, is_purged: bool) -> str:
    text = _("void by a purge since %(when)s") if is_purged else _("void since %(when)s")
    return text % {"when": in_utc(row.voided_at)} if row.voided_at else ""


def _edits() -> QuerySet[SubmissionEdit]:
    """Query the edits that are not undone."""
    return SubmissionEdit.objects.filter(undone_at=None).order_by()


def _accepted() -> QuerySet[Submission]:
    """Query the submissions of accepted quarantined entries, as far back as the audit log reaches."""
    subjects = AuditSubject.objects.filter(kind="submission", entry__act=ACCEPTED)
    numbers = subjects.annotate(number=Cast("key", BigIntegerField())).values("number")
    return Submission.objects.filter(pk__in=numbers).order_by()
