"""A message that something was done, with the way to undo it."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards.admin.audit_log.visibility import VIEW_AUDIT_LOG


def with_undo_link(request: HttpRequest, text: str) -> SafeString | str:
    """Add a link to the audit log, where it is the latest entry, for users who may view the log."""
    if not request.user.has_perm(VIEW_AUDIT_LOG):
        return text
    log = reverse("admin:foundation_auditentry_changelist")
    return format_html('{} · <a href="{}">{}</a>', text, log, _("Undo it in the audit log"))
