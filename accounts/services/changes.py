"""Mails to the owner of an account about what changed in it, so that a thief's change is noticed.

A row in the transaction of the change; without mail (``EMAIL_URL``), or without an address, nobody is told. The trap:
of a changed address the old one is told, since the new one may be the thief's.
"""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import AccountMail, MailKind

SAID: Mapping[str, Promise] = {
    MailKind.PASSWORD_CHANGED: _("The password was changed."),
    MailKind.ADDRESS_CHANGED: _("The e-mail address was changed. Mails about the account go there from now on."),
    MailKind.FACTOR_ADDED: _("A second factor was set up."),
    MailKind.FACTOR_REMOVED: _("A second factor was taken away."),
    MailKind.CODES_MADE: _("New recovery codes were made; earlier ones no longer count."),
    MailKind.RECOVERY_CODE: _("A recovery code was used."),
    MailKind.CODE_REUSED: _("A code of the authenticator app was sent a second time, and refused."),
}


def is_mail_sent() -> bool:
    """Whether this site's mails go anywhere."""
    return "dummy" not in settings.EMAIL_BACKEND


def tell(kind: MailKind, user: User, at: datetime, to: str = "") -> None:
    """Have the owner told, in the caller's transaction; ``to`` is another address than the account's."""
    address = to or user.email
    if address and is_mail_sent():
        AccountMail.objects.create(
            kind=kind,
            to=address,
            user=user,
            language=get_language() or settings.LANGUAGE_CODE,
            created_at=at,
            next_try_at=at,
        )
