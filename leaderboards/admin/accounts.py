"""Accounts and groups in the admin: only a superuser gives rights, or touches the account of somebody who has some.

Else whoever may change accounts would make himself a superuser, or set the password of one. The trap: accounts are
Django's own, so its admin of them is replaced here, and ``django.contrib.auth`` must stand before us in INSTALLED_APPS.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from leaderboards.admin.lookups import NamedLookups

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class AccountAdmin(NamedLookups[User], UserAdmin[User]):
    """Who may sign in."""

    audited_as = "account"

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Rights are typed by superusers alone."""
        given = super().get_readonly_fields(request, obj)
        return given if _may_give_rights(request) else (*given, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Passwords too; not of somebody who has rights."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Likewise."""
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)


@admin.register(Group)
class RoleAdmin(NamedLookups[Group], GroupAdmin):
    """What those of a group may do: a right that is put there is given to all of them."""

    audited_as = "group"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Superusers."""
        return _may_give_rights(request)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Superusers."""
        return _may_give_rights(request)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Superusers."""
        return _may_give_rights(request)


def _may_give_rights(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _may_touch(request: HttpRequest, account: User | None) -> bool:
    return account is None or _may_give_rights(request) or not _has_rights(account)


def _has_rights(account: User) -> bool:
    return account.is_staff or account.is_superuser or account.groups.exists() or account.user_permissions.exists()
