"""Which entries of the audit log somebody may read and undo: those about rows that the admin would show them."""

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from foundation.audit.actions import all_subjects, get_action
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.errors import NotFound

VIEW_AUDIT_LOG = "foundation.view_auditentry"
ACCOUNTS = "auth.user"


def visible_entries(request: HttpRequest, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    """Those entries of which the reader may see every subject: so a freeze, a draft or an account hides its entries."""
    unseen = AuditSubject.objects.filter(entry=OuterRef("pk")).exclude(kind__in=visible_kinds(request))
    return entries if request.user.is_superuser else entries.exclude(Exists(unseen))


def visible_kinds(request: HttpRequest) -> list[str]:
    """The kinds of subjects that the reader may look at: registered ones, and models by their names."""
    registered = {each.kind: each.model for each in all_subjects().values()}
    models = {model._meta.label_lower: model._meta.label_lower for model in admin.site._registry}
    return [kind for kind, model in (models | registered).items() if _may_look(request, model)]


def may_undo(request: HttpRequest, entry: AuditEntry) -> bool:
    """Whether there is an undo for acts of this kind, and the reader may; whether somebody did so is not asked."""
    try:
        act = get_action(entry.act)
    except NotFound:
        return False
    return act.undo is not None and request.user.has_perm(VIEW_AUDIT_LOG) and request.user.has_perm(act.needs)


def may_see_addresses(request: HttpRequest) -> bool:
    """Whether the reader is told where others acted from: whoever may look at accounts is."""
    return _may_look(request, ACCOUNTS)


def entries_url(kind: str, key: str) -> str:
    """The admin's address of a subject's entries."""
    return f"{reverse('admin:foundation_auditentry_changelist')}?subject={kind}:{key}"


def row_url(kind: str, key: str) -> str:
    """The admin's address of the row itself; empty where there is none."""
    kinds = all_subjects()
    app, _, name = (kinds[kind].model if kind in kinds else kind).partition(".")
    try:
        return reverse(f"admin:{app}_{name}_change", args=[key])
    except NoReverseMatch:
        return ""


def _may_look(request: HttpRequest, model: str) -> bool:
    app, _, name = model.partition(".")
    return any(request.user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))
