"""Notices by mail to the owner of an account about changes of it, so that the owner notices a thief's changes.

The row is written in the transaction of the change, and outlives the account. Without mail (``EMAIL_URL``) or an
address there is no notice. The trap: the current address may be the thief's, so for a while former addresses get the
notices too (``email_change.py``).
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

from accounts.models import AccountMail, FormerEmail, MailKind
from accounts.selectors.language import language_of
from foundation import mailer
from foundation.users import User, email_of, name_of

MOST_FORMER = 3  # the earliest ones, so that many changes of address do not cause a flood of mails


def is_mail_sent() -> bool:
    """Whether this site sends mails."""
    return mailer.is_sent()


def notify_owner(  # noqa: PLR0913 - the parts of a mail, each passed by name
    kind: MailKind,
    user: User,
    at: datetime,
    *,
    by: AbstractBaseUser | None,
    to: Iterable[str] = (),
    language: str = "",
    **note: Any,
) -> None:
    """Add a notice in the caller's transaction. ``by`` is who made the change (None: those who run the site).

    ``note`` has details for ``notice_texts.py``. ``to`` replaces the account's address, ``language`` its language.
    """
    if not is_mail_sent():
        return
    former = FormerEmail.objects.filter(user=user, until__gt=at).order_by("pk").values_list("email", flat=True)
    addresses = dict.fromkeys([*(to or [email_of(user)]), *former[:MOST_FORMER]])
    is_own = by is not None and by.pk == user.pk
    AccountMail.objects.bulk_create(
        AccountMail(
            kind=kind,
            to=address,
            user=user,
            name=name_of(user),
            by_owner=None if kind == MailKind.CODE_REUSED else is_own,  # it is unknown who sent the code
            note=note,
            language=language or language_of(user),
            created_at=at,
            next_try_at=at,
        )
        for address in addresses
        if address
    )
