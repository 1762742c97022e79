"""Changing an account's e-mail address by a link mailed to the new one, and restoring it for three days by a link
mailed to the old one (docs/decisions/0056)."""

from datetime import datetime, timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string

from accounts.errors import AlreadyTaken, NoLongerValid
from accounts.models import FormerEmail, MailKind, ProvenEmail
from accounts.services.audit_actions import EMAIL, EMAIL_BACK, record_and_notify
from accounts.services.mails import links, owner_notices
from foundation.messages import Message
from foundation.users import User, email_of, key_in_json, users

RESTORE_WINDOW = timedelta(hours=72)
_TAKEN = Message("Another account has this address.")
_BACK_ENDED = Message("This link is not known, was used, or is too old. Tell those who run the site.")


def make(user: User, email: str) -> str:
    """Make the token of the confirmation mail; a change of address or password ends it."""
    return links.make(links.EMAIL, [key_in_json(user.pk), email, _state(user)])


def address_in(user: User, token: str) -> str:
    """The address that the token would confirm for ``user``. Raises ``NoLongerValid``."""
    match links.read(links.EMAIL, token):
        case [pk, str(email), state] if pk == key_in_json(user.pk) and state == _state(user):
            return email
    raise NoLongerValid(links.UNKNOWN)  # another account's, from before a change, or of an older version


@transaction.atomic
def confirm(user: User, token: str, at: datetime) -> str:
    """Set the address that the token confirms, and return it. Raises ``NoLongerValid`` and ``AlreadyTaken``.

    If the user returns to an address that could be restored, the restore links of all later addresses end, as with
    ``restore_email``; otherwise a thief whose address is replaced would get such a link.
    """
    locked = users().select_for_update().get(pk=user.pk)
    email, before = address_in(locked, token), email_of(locked)
    if email == before and ProvenEmail.objects.filter(user=locked, email=email).exists():
        return email
    _refuse_taken(locked, email)
    _set_proven_email(locked, email, at, ["email"])
    earlier = locked.former_emails.filter(email__iexact=email, until__gt=at).order_by("pk").first()
    if before not in ("", email):
        notify_former(locked, before, at, by=locked, may_restore=earlier is None)
    if earlier is not None:
        _end_links_from(earlier)
    record_and_notify(EMAIL, locked, at)
    return email


def notify_former(
    user: User, before: str, at: datetime, by: AbstractBaseUser | None, *, may_restore: bool = True
) -> None:
    """Notify the mailbox ``before`` that the account has another address or none now.

    After a change by the account's own session, that mailbox can restore the address for three days, unless
    ``may_restore`` is False. A change by staff (``by``) ends that, also for earlier addresses.
    """
    if by is not None and by.pk == user.pk:
        if may_restore:
            FormerEmail.objects.create(user=user, email=before, until=at + RESTORE_WINDOW)
    else:
        user.former_emails.all().delete()
    kind = MailKind.ADDRESS_CHANGED if email_of(user) else MailKind.ADDRESS_EMPTIED
    owner_notices.notify_owner(kind, user, at, by=by, to=[before])


def find_restorable(user: User, to: str, at: datetime) -> FormerEmail | None:
    """The former address that this mailbox can restore; the earliest if the account had it several times."""
    restorable = FormerEmail.objects.filter(user=user, user__is_active=True, email=to, until__gt=at)
    return restorable.order_by("pk").first()


def make_restore_token(former: FormerEmail) -> str:
    """Make the token of the restore link. It contains all values of the row, because after restoring a backup another
    row may have its primary key."""
    return links.make(links.EMAIL_BACK, [former.pk, key_in_json(former.user_id), former.email])


def read_restore_token(token: str, at: datetime) -> FormerEmail:
    """The former address that the token would restore.

    Raises ``NoLongerValid`` if it was used, ended by an earlier one or by staff, is too old, or if its account is
    deleted or inactive.
    """
    number, account, email = links.read(links.EMAIL_BACK, token, None)  # the row has the expiry
    rows = FormerEmail.objects.filter(pk=number, user=account, email=email, until__gt=at, user__is_active=True)
    former = rows.select_related("user").first()
    if former is None:
        raise NoLongerValid(_BACK_ENDED)
    return former


@transaction.atomic
def restore_email(token: str, at: datetime) -> User:
    """Restore the former address, and invalidate the password, which ends all sessions.

    The restore links of later addresses end too, so that a thief cannot take the account again; second factors stay.
    Raises ``NoLongerValid`` and ``AlreadyTaken``; then nothing has changed.
    """
    users().select_for_update().filter(pk=read_restore_token(token, at).user_id).first()
    former = read_restore_token(token, at)  # again, now under the lock, so that it works once
    user = former.user
    _refuse_taken(user, former.email)
    lost = email_of(user)
    # A random password instead of none, so that the user can reset it by mail later.
    user.set_password(get_random_string(40) if user.has_usable_password() else None)
    _set_proven_email(user, former.email, at, ["email", "password"])
    _end_links_from(former)
    owner_notices.notify_owner(MailKind.ADDRESS_BACK, user, at, by=user, to=[user.email, lost])
    record_and_notify(EMAIL_BACK, user, at, way="mail")
    return user


def _end_links_from(former: FormerEmail) -> None:
    """End the restore links of this and all later addresses; those of earlier ones stay."""
    FormerEmail.objects.filter(user=former.user_id, pk__gte=former.pk).delete()


def _refuse_taken(user: User, email: str) -> None:
    if users().filter(email__iexact=email).exclude(pk=user.pk).exists():
        raise AlreadyTaken(_TAKEN)


def _set_proven_email(user: User, email: str, at: datetime, columns: list[str]) -> None:
    """Save the address and these columns. Raises ``AlreadyTaken`` if another account got it a moment ago: a project's
    own model may keep addresses unique too."""
    user.email = email
    try:
        with transaction.atomic():
            ProvenEmail.objects.update_or_create(user=user, defaults={"email": email, "proven_at": at})
            user.save(update_fields=columns)
    except IntegrityError as error:
        raise AlreadyTaken(_TAKEN) from error


def _state(user: User) -> str:
    return user.get_session_auth_hash()[:16] + email_of(user)
