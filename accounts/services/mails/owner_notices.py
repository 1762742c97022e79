"""Mails to the owner of an account about what changed in it, so that a thief's change is noticed.

A row in the transaction of the change, which outlives the account; without mail (``EMAIL_URL``), or without an address,
nobody is told. The trap: the address of now may be the thief's, so for a while those of before are told as well
(``email.py``).
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User

from accounts.models import AccountMail, FormerEmail, MailKind
from accounts.selectors.language import language_of

MOST_FORMER = 3  # of the earliest, so that who changes the address all the time makes no flood of mails


def is_mail_sent() -> bool:
    """Whether this site's mails go anywhere."""
    return "dummy" not in settings.EMAIL_BACKEND


def notify_owner(  # noqa: PLR0913 (a mail has so many parts, each by name)
    kind: MailKind,
    user: User,
    at: datetime,
    *,
    by: AbstractBaseUser | None,
    to: Iterable[str] = (),
    language: str = "",
    **note: Any,
) -> None:
    """Have the owner told, in the caller's transaction: who did it (``by``; None: those who run the site), and to what
    (``note``, as ``change_words.py`` reads it). ``to`` are other addresses than the account's, ``language`` another
    than it asks for now."""
    if not is_mail_sent():
        return
    former = FormerEmail.objects.filter(user=user, until__gt=at).order_by("pk").values_list("email", flat=True)
    addresses = dict.fromkeys([*(to or [user.email]), *former[:MOST_FORMER]])
    is_own = by is not None and by.pk == user.pk
    AccountMail.objects.bulk_create(
        AccountMail(
            kind=kind,
            to=address,
            user=user,
            name=user.get_username(),
            by_owner=None if kind == MailKind.CODE_REUSED else is_own,  # nobody knows who sent it
            note=note,
            language=language or language_of(user),
            created_at=at,
            next_try_at=at,
        )
        for address in addresses
        if address
    )
