"""What Django's own commands do to accounts, in the audit log and told to the owner.

The trap: Django has committed the account by then, so a crash between the two leaves a change without an entry.
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from accounts.models import MailKind
from accounts.services.audit_actions import ADDED, PASSWORD
from accounts.services.mails import owner_notices
from foundation import audit


@transaction.atomic
def password_set(user: User, at: datetime) -> None:
    """``changepassword`` gave the account another password."""
    audit.record(PASSWORD, at=at, subjects=[("account", user.pk)])
    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, user, at, by=None)


@transaction.atomic
def superuser_made(user: User, at: datetime) -> None:
    """``createsuperuser`` made the account."""
    rights = {"is_staff": user.is_staff, "is_superuser": user.is_superuser}
    audit.record(ADDED, at=at, subjects=[("account", user.pk)], after={"username": user.get_username(), **rights})
    owner_notices.notify_owner(MailKind.MADE, user, at, by=None, rights=rights)
