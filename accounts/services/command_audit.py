"""Audit entries and notices for Django's own commands.

The trap: Django has committed the account before, so a crash in between leaves a change without an entry.
"""

from datetime import datetime

from django.db import transaction

from accounts.models import MailKind
from accounts.services.audit_actions import ADDED, PASSWORD
from accounts.services.mails import owner_notices
from foundation import audit
from foundation.users import User, name_of


@transaction.atomic
def password_set(user: User, at: datetime) -> None:
    """Record that ``changepassword`` set a password."""
    audit.record(PASSWORD, at=at, subjects=[("account", user.pk)])
    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, user, at, by=None)


@transaction.atomic
def superuser_made(user: User, at: datetime) -> None:
    """Record that ``createsuperuser`` made the account."""
    rights = {"is_staff": user.is_staff, "is_superuser": user.is_superuser}
    audit.record(ADDED, at=at, subjects=[("account", user.pk)], after={user.USERNAME_FIELD: name_of(user), **rights})
    owner_notices.notify_owner(MailKind.MADE, user, at, by=None, rights=rights)
