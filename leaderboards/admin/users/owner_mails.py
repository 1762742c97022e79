"""Mail the owner of an account about changes that staff made to it in the admin."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import QuerySet

from accounts.models import MailKind
from accounts.services.email_change import notify_former
from accounts.services.mails import owner_notices
from foundation import clock
from foundation.users import User, email_of

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


def notify_owner(account: User, form: Any, by: AbstractBaseUser) -> None:
    """Mail the owner about a changed address, activation, deactivation or changed rights.

    The mails go to the old address, since an attacker may have set the new one.
    """
    at, changed = clock.now(), form.changed_data
    before = (form.initial.get("email") or "") if "email" in changed else email_of(account)
    if "email" in changed and before:
        notify_former(account, before, at, by)
    if "is_active" in changed:
        kind = MailKind.ACTIVATED if account.is_active else MailKind.DEACTIVATED
        owner_notices.notify_owner(kind, account, at, by=by, to=[before])
    rights = {name: _to_json(form.cleaned_data[name]) for name in RIGHTS if name in changed}
    if rights:
        owner_notices.notify_owner(MailKind.RIGHTS, account, at, by=by, to=[before], rights=rights)


def _to_json(value: bool | QuerySet[Any]) -> bool | list[str]:
    return value if isinstance(value, bool) else [str(each) for each in value]
