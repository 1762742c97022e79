"""Staff, and browsers in which they are signed in: what they may do is named. Players are in `views/pages.py`."""

from collections.abc import Collection

from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from tests.leaderboards.factories import AdminFactory, UserFactory


def member(*permissions: str | Permission, name: str = "", groups: Collection[str] = ()) -> User:
    """Somebody with these permissions, each a row, a codename or "app.codename", and in these groups."""
    user: User = UserFactory.create(is_staff=True, **({"username": name} if name else {}))
    user.user_permissions.set([_row(each) for each in permissions])
    user.groups.set([Group.objects.get(name=each) for each in groups])
    return user


def staff(*permissions: str | Permission, name: str = "", groups: Collection[str] = ()) -> Client:
    """A browser of somebody like that."""
    return browser_of(member(*permissions, name=name, groups=groups))


def chief(name: str = "admin") -> Client:
    """A browser of somebody who may do everything."""
    return browser_of(AdminFactory.create(username=name))


def browser_of(user: User) -> Client:
    """A browser in which ``user`` is signed in."""
    client = Client()
    client.force_login(user)
    return client


def _row(permission: str | Permission) -> Permission:
    """The one permission that is meant; a codename of two apps raises, as one of none does."""
    if isinstance(permission, Permission):
        return permission
    app, _, codename = permission.rpartition(".")
    return Permission.objects.get(codename=codename, **({"content_type__app_label": app} if app else {}))
