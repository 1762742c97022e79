"""Undo one entry of the audit log: a preview, a reason, and a recent sign-in if the action is sensitive."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.reauth import require_recent_proof
from foundation import clock
from foundation.audit.actions import is_sensitive, label_of
from foundation.audit.models import AuditEntry
from foundation.audit.undo import UNDONE_BEFORE, undo
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.reasons import LONGEST_REASON, is_reason
from foundation.translate import translated
from leaderboards.admin.audit_log.values import actor_name
from leaderboards.admin.audit_log.visibility import may_undo
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.boards.preview_seal import SEAL_FIELD
from leaderboards.admin.undo.previews import preview_undo
from leaderboards.admin.undo.reason_readers import reason_readers


class UndoEntryAdmin(ReadOnlyAdmin[AuditEntry]):
    """The part of the audit log's admin that undoes one entry, on a page of its own."""

    def about(self, entry: AuditEntry) -> SafeString | str:
        """Return all subjects of the entry, with links; the audit log's admin implements it."""
        raise NotImplementedError

    def changed(self, entry: AuditEntry) -> SafeString | str:
        """Return the old and new values, one field a line; the audit log's admin implements it."""
        raise NotImplementedError

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.undo_view)
        return [path("<int:number>/undo/", page, name="foundation_auditentry_undo"), *super().get_urls()]

    def undo_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """Show the preview and ask for a reason, then undo.

        Of two concurrent requests one undoes, the other is refused. If the preview is sealed, it must have been seen.
        """
        entry = self.get_object(request, str(number))
        if entry is None:
            raise Http404
        if not may_undo(request, entry):
            raise PermissionDenied
        if entry.is_undone:
            messages.error(request, translated(UNDONE_BEFORE))
            return redirect("admin:foundation_auditentry_change", entry.pk)
        if is_sensitive(entry.act, entry) and (proof_page := require_recent_proof(request)):
            return proof_page
        is_sent, reason = request.method == "POST", request.POST.get("reason", "").strip()
        preview, seal = preview_undo(entry), request.POST.get(SEAL_FIELD, "")
        if is_sent and is_reason(reason) and preview.is_seen(seal):
            return self._undo(request, entry, reason)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Undo: %(what)s") % {"what": label_of(entry.act)},
            "entry": entry,
            "whose": actor_name(entry),
            "about": self.about(entry),
            "changed": self.changed(entry),
            "look": preview,
            "field": SEAL_FIELD,
            "again": is_sent and not preview.is_seen(seal),
            "longest": LONGEST_REASON,
            "reason": reason,
            "readers": reason_readers(entry),
            "missing": is_sent and not is_reason(reason),
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/audit/undo.html", context)

    def _undo(self, request: HttpRequest, entry: AuditEntry, reason: str) -> HttpResponseBase:
        try:
            undo_entry = undo(entry.pk, reason, clock.trusted_now(), signed_in(request))
        except SunwiError as error:
            messages.error(request, translated(error.detail))
            return redirect("admin:foundation_auditentry_change", entry.pk)
        messages.success(request, _("Undone: %(what)s.") % {"what": label_of(entry.act)})
        return redirect("admin:foundation_auditentry_change", undo_entry.pk)
