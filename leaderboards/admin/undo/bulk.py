"""Undoing several entries of the audit log at once: one reason, and each entry in a transaction of its own.

The latest goes first, so that of changes to one thing each is undone after those that came later. An act and what took
it back, both chosen, are left as they are (``foundation/audit/cancelling_pairs.py``), so all of the chosen are looked
at together.
One that is refused keeps no other; which were and why is a page of its own, with a line for each. The traps: a page
sent again undoes nothing twice, since an entry is undone once; and what has to be seen but cannot be shown stays,
even where it could be undone by then.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import admin, messages
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.reauth import require_recent_proof
from foundation import clock
from foundation.audit.actions import all_actions, is_sensitive, label_of
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from leaderboards.admin.audit_log.subject_names import load_subject_names
from leaderboards.admin.audit_log.visibility import VIEW_AUDIT_LOG
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page
from leaderboards.admin.players.action_pages import MOST_WITHOUT_PROOF
from leaderboards.admin.undo.selection import (
    UndoSelection,
    blocked_entries,
    cancelling_pairs_text,
    preview_sections,
    select_undoable,
    selection_summary,
)
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.refusals import translated

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 200  # each is a transaction, and a field of the form that asks

_UNDOING = ActionPrompt(
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


class UndoSelectedAdmin(ReadOnlyAdmin[AuditEntry]):
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
        found = list(entries.filter(act__in=_undoable(request)).order_by("-pk")[: MOST_AT_ONCE + 1])
        if len(found) > MOST_AT_ONCE:
            messages.error(request, _("More than %(most)s are selected: choose fewer.") % {"most": MOST_AT_ONCE})
            return None
        choice = select_undoable(found)
        if not choice.to_undo:
            why = cancelling_pairs_text(choice) or _("None of the selected can be undone: nothing was done.")
            messages.warning(request, why)
            return None
        grave = any(is_sensitive(entry.act, entry) for entry in choice.to_undo)
        proving = require_recent_proof(request) if grave or len(choice.to_undo) > MOST_WITHOUT_PROOF else None
        if proving:
            return proving
        looks = preview_sections(choice)
        is_seen = all(each.preview.blocks or each.preview.is_seen(request.POST.get(each.field, "")) for each in looks)
        reason = confirmed_reason(request)
        if reason and is_seen:
            return self._done(request, choice, blocked_entries(looks), reason)
        left = entries.count() - len(choice.to_undo) - len(choice.pairs)
        shown = {"looks": looks, "again": bool(reason) and not is_seen, "template": "admin/audit/several.html"}
        return reason_page(self, request, _UNDOING, found, rows=[*selection_summary(choice, left)], **shown)

    def _done(
        self, request: HttpRequest, choice: UndoSelection, blocks: dict[int, str], reason: str
    ) -> HttpResponseBase:
        outcomes = [
            Outcome(entry, blocks[entry.pk]) if entry.pk in blocks else _undone(request, entry, reason)
            for entry in choice.to_undo
        ]
        told = [*choice.to_undo, *choice.pairs]
        names = load_subject_names(subject for entry in told for subject in entry.subjects.all())
        for entry in told:
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
            "pairs": [(each, in_utc(each.at), label_of(each.act), self.about(each)) for each in choice.pairs],
            "said": cancelling_pairs_text(choice),
            "reason": reason,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/audit/undone.html", context)


def _undoable(request: HttpRequest) -> list[str]:
    """The acts that the reader may undo."""
    if not request.user.has_perm(VIEW_AUDIT_LOG):
        return []
    return [act.code for act in all_actions() if act.undo is not None and request.user.has_perm(act.needs)]


def _undone(request: HttpRequest, entry: AuditEntry, reason: str) -> Outcome:
    try:
        undo(entry.pk, reason, clock.trusted_now(), signed_in(request))
    except SunwiError as error:
        return Outcome(entry, translated(error.detail))
    except CONNECTION_ERRORS as error:
        logger.warning("%s was not undone: %s", entry, error)
        connection.close_if_unusable_or_obsolete()
        return Outcome(entry, _("The database was busy, or away: look whether it is undone, else undo it again."))
    return Outcome(entry)
