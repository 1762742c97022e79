"""The admins of accounts and groups: only a superuser grants rights, or changes an account that has rights.

Else staff who may change accounts could make themselves superusers, or set a superuser's password. They take the place
of Django's own admins alone: one that the project registered stays, and a system check warns of it (sunwi.W003).
"""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth import admin as djangos
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.core.checks import (
    CheckMessage,
    Tags,
    Warning,  # noqa: A004 - the name is Django's
    register,
)
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import MailKind
from accounts.reauth import ReauthAdmin, require_recent_proof
from accounts.services.mails import owner_notices
from accounts.services.second_factors import removal as factors
from foundation import clock
from foundation.audit.retention import forget_addresses, forget_own_name, forget_values
from foundation.generics import UserAdmin
from foundation.http.client_address import signed_in
from foundation.monitoring.user_model_check import faults
from foundation.users import User, has_djangos_users, user_model, users
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.users import account_layout as layout
from leaderboards.admin.users.owner_mails import RIGHTS, notify_owner

_DJANGOS: Any = djangos.UserAdmin


class AccountAdmin(ReauthAdmin[User], DeclaredLookupsAdmin[User], UserAdmin[User]):
    """Accounts; changing one needs a recent sign-in. It shows what Django's own admin shows and the user model has."""

    fieldsets = layout.fieldsets(_DJANGOS.fieldsets)
    add_fieldsets = layout.add_fieldsets(_DJANGOS.add_fieldsets)
    list_display = layout.columns(_DJANGOS.list_display)
    search_fields = layout.columns(_DJANGOS.search_fields)
    ordering = layout.columns(_DJANGOS.ordering)
    actions = ("forget_factors",)
    reauth_actions = ("forget_factors",)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002 - Django names the argument so
        """Change a password after a recent sign-in, and mail the owner."""
        if proof_page := require_recent_proof(request):
            return proof_page
        with transaction.atomic():
            answer = super().user_change_password(request, id, form_url)
            if request.method == "POST" and answer.status_code == 302:
                account = users().get(pk=unquote(id))
                owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, account, clock.now(), by=signed_in(request))
        return answer

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the account, and mail its owner."""
        super().save_model(request, obj, form, change)
        if change:
            notify_owner(obj, form, signed_in(request))

    @admin.action(description=_("Take away the second factors of the selected accounts"), permissions=["change"])
    def forget_factors(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        """Remove the second factors of owners who lost them; of accounts with rights, only as a superuser.

        Sessions stay signed in.
        """
        by = users().get(pk=signed_in(request).pk)
        for account in accounts:
            if not _may_touch(request, account):
                messages.error(request, gettext("%(name)s has rights: a superuser may do this.") % {"name": account})
                continue
            factors.forget_all(account, by, clock.now())
            messages.success(request, gettext("%(name)s signs in by the password alone now.") % {"name": account})

    audited_as = "account"

    def _record_deletion(self, request: HttpRequest, row: User) -> None:
        """Record the deletion, mail the owner, and clear personal values and addresses from the account's audit
        entries; its rights stay there, and its name, unless that is an e-mail address."""
        super()._record_deletion(request, row)
        owner_notices.notify_owner(MailKind.DELETED, row, clock.now(), by=signed_in(request))
        forget_values("account", row.pk, layout.personal_columns())
        if layout.name_is_personal():
            forget_own_name(row.pk)
        forget_addresses(row.pk)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Make rights read-only for everybody but superusers."""
        readonly = super().get_readonly_fields(request, obj)
        return readonly if _may_grant_rights(request) else (*readonly, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Deny accounts with rights, unless to superusers; this covers passwords too."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Deny accounts with rights, unless to superusers."""
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)


class RoleAdmin(ReauthAdmin[Group], DeclaredLookupsAdmin[Group], GroupAdmin):
    """Groups: a right of a group is given to all its members."""

    audited_as = "group"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow superusers."""
        return _may_grant_rights(request)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Allow superusers."""
        return _may_grant_rights(request)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Allow superusers."""
        return _may_grant_rights(request)


def _take_the_place(model: type[Model], of: type[Any], ours: type[Any]) -> None:
    if admin.site.is_registered(model) and type(admin.site.get_model_admin(model)) is of:
        admin.site.unregister(model)
        admin.site.register(model, ours)


def take_the_places() -> None:
    """Register our admins where the project has Django's own."""
    _take_the_place(user_model(), djangos.UserAdmin, AccountAdmin)
    _take_the_place(Group, djangos.GroupAdmin, RoleAdmin)


def register_users_of_the_project() -> None:
    """Register our admin for a user model of the project's own that has none; call it once all admins are loaded."""
    take_the_places()
    if not (has_djangos_users() or admin.site.is_registered(user_model()) or any(faults(user_model()))):
        admin.site.register(user_model(), AccountAdmin)


take_the_places()


@register(Tags.admin)
def accounts_have_our_admins(**_: Any) -> list[CheckMessage]:
    """Warn of a project's own admin of users or groups that does not extend ours."""
    return [
        Warning(
            f"The admin of {model._meta.verbose_name_plural} is {other.__module__}.{other.__qualname__}, not Sunwi's: "
            "staff who may change them there can give themselves all rights, with no recent sign-in, no entry in the "
            "audit log and no mail to the owner.",
            hint=f"Let it extend {__name__}.{ours.__name__}{_unregister_first(model)}; or, if it "
            'may be so, put "sunwi.W003" into SILENCED_SYSTEM_CHECKS.',
            id="sunwi.W003",
        )
        for model, ours in ((user_model(), AccountAdmin), (Group, RoleAdmin))
        if admin.site.is_registered(model) and not issubclass(other := type(admin.site.get_model_admin(model)), ours)
    ]


def _unregister_first(model: type[Model]) -> str:
    """Django registers admins of its own models alone."""
    is_djangos = model._meta.app_label == "auth"
    return f", after admin.site.unregister({model.__name__})" if is_djangos else ""


def _may_grant_rights(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _may_touch(request: HttpRequest, account: User | None) -> bool:
    return account is None or _may_grant_rights(request) or not _has_rights(account)


def _has_rights(account: User) -> bool:
    return account.is_staff or account.is_superuser or account.groups.exists() or account.user_permissions.exists()
