"""Which audit entries a user may see and undo: those about rows that the admin shows to the user."""

from urllib.parse import quote as urlquote

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from foundation.audit.actions import all_subjects, get_action
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.errors import NotFound
from foundation.users import user_label

VIEW_AUDIT_LOG = "foundation.view_auditentry"


def visible_entries(request: HttpRequest, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    """Query the entries of which the user may see every subject; so an entry about a freeze, a draft or an account
    is only visible to users who may view these."""
    hidden = AuditSubject.objects.filter(entry=OuterRef("pk")).exclude(kind__in=visible_kinds(request))
    return entries if request.user.is_superuser else entries.exclude(Exists(hidden))


def visible_kinds(request: HttpRequest) -> list[str]:
    """Return the kinds of subjects that the user may view: registered kinds, and models by their label."""
    registered = {each.kind: each.model for each in all_subjects().values()}
    models = {model._meta.label_lower: model._meta.label_lower for model in admin.site._registry}
    return [kind for kind, model in (models | registered).items() if _may_view(request, model)]


def may_undo(request: HttpRequest, entry: AuditEntry) -> bool:
    """Return whether the entry's action has an undo that the user may run; an undone entry is not excluded."""
    try:
        action = get_action(entry.act)
    except NotFound:
        return False
    return action.undo is not None and request.user.has_perm(VIEW_AUDIT_LOG) and request.user.has_perm(action.needs)


def may_see_addresses(request: HttpRequest) -> bool:
    """Return whether the user may see IP addresses: users who may view accounts."""
    return _may_view(request, user_label())


def entries_url(kind: str, key: str) -> str:
    """Return the admin's URL of a subject's entries."""
    return f"{reverse('admin:foundation_auditentry_changelist')}?subject={kind}:{urlquote(key, safe='')}"


def row_url(kind: str, key: str) -> str:
    """Return the admin's URL of a row; "" if its model has no admin."""
    kinds = all_subjects()
    app, _, name = (kinds[kind].model if kind in kinds else kind).partition(".")
    try:
        return reverse(f"admin:{app}_{name}_change", args=[quote(key)])
    except NoReverseMatch:
        return ""


def _may_view(request: HttpRequest, model: str) -> bool:
    app, _, name = model.partition(".")
    return any(request.user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))
