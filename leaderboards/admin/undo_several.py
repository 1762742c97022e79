"""Undoing several entries of the audit log at once: one reason, and each entry in a transaction of its own.

The latest goes first, so that of changes to one thing each is undone after those that came later. One that is refused
keeps no other; which were and why is a page of its own, with a line for each. The trap: a page sent again undoes
nothing twice, since an entry is undone once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from accounts.fresh import to_prove
from foundation import clock
from foundation.audit.acts import all_acts, label_of
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from foundation.client import signed_in
from foundation.errors import SunwiError
from leaderboards.admin.audit_names import names_of
from leaderboards.admin.audit_sight import MAY_READ
from leaderboards.admin.paging import ReadOnlyAdmin
from leaderboards.admin.player_deeds import MOST_UNPROVED
from leaderboards.admin.reason_page import Asking, given_reason, reason_page
from leaderboards.admin.sentences import in_utc
from leaderboards.admin.undo_lines import all_bans_in_words, undo_in_words
from leaderboards.refusals import translated

MOST_AT_ONCE = 200  # each is a transaction, and a field of the form that asks
MOST_FORESEEN = 10  # entries whose ranks are counted, beside bans, which are counted together


_UNDOING = Asking(
    "undo_selected",
    _lazy("Undo several entries"),
    _lazy(
        "Each is undone by itself, the latest first: what is refused keeps no other, and is listed then with the "
        "reason."
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: the entry, and why it was refused; empty where it is undone."""

    entry: AuditEntry
    refused: str = ""


class UndoSeveral(ReadOnlyAdmin[AuditEntry]):
    """The part of the audit log's admin that undoes what is selected."""

    actions: Sequence[str] = ("undo_selected",)

    def about(self, entry: AuditEntry) -> SafeString | str:
        """Every subject, with a way to its page."""
        raise NotImplementedError  # the log's own admin says it

    def has_undo_permission(self, request: HttpRequest) -> bool:
        """Whoever may undo anything."""
        return bool(_undoable(request))

    @admin.action(description=_lazy("Undo the selected entries"), permissions=["undo"])
    def undo_selected(self, request: HttpRequest, entries: QuerySet[AuditEntry]) -> HttpResponseBase | None:
        """Those of them that the reader may undo and nobody has: the reason first, beside what comes of it."""
        open_ones = entries.filter(act__in=_undoable(request), undone_by=None)
        chosen = list(open_ones.order_by("-pk")[:MOST_AT_ONCE])
        if not chosen:
            messages.warning(request, _("None of the selected can be undone: nothing was done."))
            return None
        proving = to_prove(request) if len(chosen) > MOST_UNPROVED else None
        if proving:
            return proving
        if reason := given_reason(request):
            return self._done(request, chosen, reason)
        left = entries.count() - len(chosen)
        return reason_page(self, request, _UNDOING, chosen, rows=[*_foretold(chosen, left)])

    def _done(self, request: HttpRequest, chosen: Sequence[AuditEntry], reason: str) -> HttpResponseBase:
        outcomes = [_undone(request, entry, reason) for entry in chosen]
        names = names_of(subject for entry in chosen for subject in entry.subjects.all())
        for entry in chosen:
            entry.subject_names = names  # type: ignore[attr-defined]  # which ``about`` looks for
        refused = sum(bool(each.refused) for each in outcomes)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Undone: %(number)s. Refused: %(refused)s.")
            % {"number": len(outcomes) - refused, "refused": refused},
            "rows": [
                (each.entry, in_utc(each.entry.at), label_of(each.entry.act), self.about(each.entry), each.refused)
                for each in sorted(outcomes, key=lambda each: not each.refused)
            ],
            "reason": reason,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/audit/undone.html", context)


def _undoable(request: HttpRequest) -> list[str]:
    """The acts that the reader may undo."""
    if not request.user.has_perm(MAY_READ):
        return []
    return [act.code for act in all_acts() if act.undo is not None and request.user.has_perm(act.needs)]


def _undone(request: HttpRequest, entry: AuditEntry, reason: str) -> Outcome:
    try:
        undo(entry.pk, reason, clock.agreed(), signed_in(request))
    except SunwiError as error:
        return Outcome(entry, translated(error.detail))
    return Outcome(entry)


def _foretold(chosen: Sequence[AuditEntry], left: int) -> Iterator[str]:
    """How many of which act, how many of the selected are left out, and what ranks do."""
    counted = Counter(str(label_of(entry.act)) for entry in chosen)
    yield from (f"{label}: {number}" for label, number in counted.items())
    if left:
        yield ngettext(
            "%(number)s of the selected is left out: it cannot be undone, or more than %(most)s are selected.",
            "%(number)s of the selected are left out: they cannot be undone, or more than %(most)s are selected.",
            left,
        ) % {"number": left, "most": MOST_AT_ONCE}
    yield from all_bans_in_words(chosen)
    others = [entry for entry in chosen if entry.act != "player.banned"]
    for entry in others[:MOST_FORESEEN]:
        if lines := undo_in_words(entry):
            yield f"{label_of(entry.act)}, {in_utc(entry.at)}: {' '.join(lines)}"
