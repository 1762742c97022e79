"""Undo several entries of the audit log at once, with one reason, each in a transaction of its own.

The latest entry goes first, so that of several changes to one row each is undone after the later ones. If an action and
its undo are both selected, both stay as they are (``foundation/audit/cancelling_pairs.py``). An entry that is refused
does not stop the others; a result page lists every entry with the reason of a refusal.
The traps: submitting the page twice undoes nothing twice, since an entry can only be undone once. An entry that needs a
sealed preview, but cannot be previewed, is not undone, even if that has become possible meanwhile.
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
from foundation.translate import translated
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
    """The result for one entry; ``refused`` is the reason of a refusal, "" if the entry is undone."""

    entry: AuditEntry
    refused: str = ""


class UndoSelectedAdmin(ReadOnlyAdmin[AuditEntry]):
    """The part of the audit log's admin that undoes the selected entries."""

    actions: Sequence[str] = ("undo_selected",)

    def about(self, entry: AuditEntry) -> SafeString | str:
        """Return all subjects of the entry, with links; the audit log's admin implements it."""
        raise NotImplementedError

    def has_undo_permission(self, request: HttpRequest) -> bool:
        """Allow users who may undo at least one kind of action."""
        return bool(_undoable_actions(request))

    @admin.action(description=_lazy("Undo the selected entries"), permissions=["undo"])
    def undo_selected(self, request: HttpRequest, entries: QuerySet[AuditEntry]) -> HttpResponseBase | None:
        """Show the preview and ask for a reason, then undo the entries that this user may undo."""
        selected = list(entries.filter(act__in=_undoable_actions(request)).order_by("-pk")[: MOST_AT_ONCE + 1])
        if len(selected) > MOST_AT_ONCE:
            messages.error(request, _("More than %(most)s are selected: choose fewer.") % {"most": MOST_AT_ONCE})
            return None
        choice = select_undoable(selected)
        if not choice.to_undo:
            why = cancelling_pairs_text(choice) or _("None of the selected can be undone: nothing was done.")
            messages.warning(request, why)
            return None
        has_sensitive = any(is_sensitive(entry.act, entry) for entry in choice.to_undo)
        needs_proof = has_sensitive or len(choice.to_undo) > MOST_WITHOUT_PROOF
        if needs_proof and (proof_page := require_recent_proof(request)):
            return proof_page
        sections = preview_sections(choice)
        is_seen = all(
            each.preview.blocks or each.preview.is_seen(request.POST.get(each.field, "")) for each in sections
        )
        reason = confirmed_reason(request)
        if reason and is_seen:
            return self._undo_all(request, choice, blocked_entries(sections), reason)
        ignored = entries.count() - len(choice.to_undo) - len(choice.pairs)
        shown = {"looks": sections, "again": bool(reason) and not is_seen, "template": "admin/audit/several.html"}
        return reason_page(self, request, _UNDOING, selected, rows=[*selection_summary(choice, ignored)], **shown)

    def _undo_all(
        self, request: HttpRequest, choice: UndoSelection, blocked: dict[int, str], reason: str
    ) -> HttpResponseBase:
        outcomes = [
            Outcome(entry, blocked[entry.pk]) if entry.pk in blocked else _undo_one(request, entry, reason)
            for entry in choice.to_undo
        ]
        outcomes += [Outcome(entry, _("This was undone before.")) for entry in choice.undone]
        listed = [*choice.to_undo, *choice.undone, *choice.pairs]
        names = load_subject_names(subject for entry in listed for subject in entry.subjects.all())
        for entry in listed:
            entry.subject_names = names  # type: ignore[attr-defined]  # ``about`` reads it
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


def _undoable_actions(request: HttpRequest) -> list[str]:
    """Return the codes of the actions that this user may undo."""
    if not request.user.has_perm(VIEW_AUDIT_LOG):
        return []
    return [each.code for each in all_actions() if each.undo is not None and request.user.has_perm(each.needs)]


def _undo_one(request: HttpRequest, entry: AuditEntry, reason: str) -> Outcome:
    try:
        undo(entry.pk, reason, clock.trusted_now(), signed_in(request))
    except SunwiError as error:
        return Outcome(entry, translated(error.detail))
    except CONNECTION_ERRORS as error:
        logger.warning("%s was not undone: %s", entry, error)
        connection.close_if_unusable_or_obsolete()
        return Outcome(entry, _("The database was busy, or away: look whether it is undone, else undo it again."))
    return Outcome(entry)
