"""An account's address: changed once its owner has followed the link that was mailed to the new one, and for three days
put back by a link that is mailed to the old one (docs/decisions/0056)."""

from datetime import datetime, timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_noop

from accounts.errors import AlreadyTaken, NoLongerValid
from accounts.models import FormerEmail, MailKind, ProvenEmail
from accounts.services.audit_actions import EMAIL, EMAIL_BACK, record_and_notify
from accounts.services.mails import links, owner_notices

BACK_FOR = timedelta(hours=72)
_TAKEN = gettext_noop("Another account has this address.")
_BACK_ENDED = gettext_noop("This link is not known, was used, or is too old. Tell those who run the site.")


def make(user: User, email: str) -> str:
    """The token of a mail to ``email``; it ends with the next change of address or password."""
    return links.make(links.EMAIL, [user.pk, email, _state(user)])


def address_in(user: User, token: str) -> str:
    """The address that the token would prove for ``user``. Raises ``NoLongerValid``."""
    match links.read(links.EMAIL, token):
        case [pk, str(email), state] if pk == user.pk and state == _state(user):
            return email
    raise NoLongerValid(links.UNKNOWN)  # of somebody else, from before a change, or in the form of an older version


@transaction.atomic
def confirm(user: User, token: str, at: datetime) -> str:
    """Give ``user`` the address that the token proves, and return it. An address that could be put back ends the links
    of later ones, as ``restore_email`` does: else a thief who is left gets one. Raises ``NoLongerValid`` and
    ``AlreadyTaken``."""
    locked = User.objects.select_for_update().get(pk=user.pk)
    email, before = address_in(locked, token), locked.email
    if email == before and ProvenEmail.objects.filter(user=locked, email=email).exists():
        return email
    _refuse_taken(locked, email)
    _prove(locked, email, at)
    locked.email = email
    locked.save(update_fields=["email"])
    earlier = locked.former_emails.filter(email__iexact=email, until__gt=at).order_by("pk").first()
    if before not in ("", email):
        notify_former(locked, before, at, by=locked, may_restore=earlier is None)
    if earlier is not None:
        _end_from(earlier)
    record_and_notify(EMAIL, locked, at)
    return email


def notify_former(
    user: User, before: str, at: datetime, by: AbstractBaseUser | None, *, may_restore: bool = True
) -> None:
    """Tell the mailbox ``before`` that the account has another address, or none, by now. After a change by a session of
    its own the mailbox may put it back for three days, unless an earlier one just came back (not ``may_restore``); what
    staff decide (``by``) ends that, of earlier ones too."""
    if by is not None and by.pk == user.pk:
        if may_restore:
            FormerEmail.objects.create(user=user, email=before, until=at + BACK_FOR)
    else:
        user.former_emails.all().delete()
    kind = MailKind.ADDRESS_CHANGED if user.email else MailKind.ADDRESS_EMPTIED
    owner_notices.notify_owner(kind, user, at, by=by, to=[before])


def find_restorable(user: User, to: str, at: datetime) -> FormerEmail | None:
    """What a mail to this mailbox may put back; the earliest, where the account had the address several times."""
    open_ones = FormerEmail.objects.filter(user=user, user__is_active=True, email=to, until__gt=at)
    return open_ones.order_by("pk").first()


def make_restore_token(former: FormerEmail) -> str:
    """The token of the link that puts it back. It names all that the row says: after a restored backup another row may
    have the number."""
    return links.make(links.EMAIL_BACK, [former.pk, former.user_id, former.email])


def read_restore_token(token: str, at: datetime) -> FormerEmail:
    """What the token would put back. Raises ``NoLongerValid``: used, ended by an earlier one or by staff, too old, or
    its account is gone or not active."""
    number, account, email = links.read(links.EMAIL_BACK, token, None)  # the row says until when
    found = FormerEmail.objects.filter(pk=number, user=account, email=email, until__gt=at, user__is_active=True)
    former = found.select_related("user").first()
    if former is None:
        raise NoLongerValid(_BACK_ENDED)
    return former


@transaction.atomic
def restore_email(token: str, at: datetime) -> User:
    """Give the account the address of before, and end all its sessions with its password. Links of later addresses end
    too, so that who took the account does not take it again; second factors stay. Raises ``NoLongerValid`` and
    ``AlreadyTaken``; then nothing has changed."""
    User.objects.select_for_update().filter(pk=read_restore_token(token, at).user_id).first()
    former = read_restore_token(token, at)  # once more, behind the lock: it counts once
    user = former.user
    _refuse_taken(user, former.email)
    _prove(user, former.email, at)
    lost, user.email = user.email, former.email
    # A random one that nobody has: so a new one can be asked for by mail later, as by everybody with a password.
    user.set_password(get_random_string(40) if user.has_usable_password() else None)
    user.save(update_fields=["email", "password"])
    _end_from(former)
    owner_notices.notify_owner(MailKind.ADDRESS_BACK, user, at, by=user, to=[user.email, lost])
    record_and_notify(EMAIL_BACK, user, at, way="mail")
    return user


def _end_from(former: FormerEmail) -> None:
    """End its link with those of later addresses; those of earlier ones stay."""
    FormerEmail.objects.filter(user=former.user_id, pk__gte=former.pk).delete()


def _refuse_taken(user: User, email: str) -> None:
    if User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists():
        raise AlreadyTaken(_TAKEN)


def _prove(user: User, email: str, at: datetime) -> None:
    try:
        with transaction.atomic():
            ProvenEmail.objects.update_or_create(user=user, defaults={"email": email, "proven_at": at})
    except IntegrityError as error:
        raise AlreadyTaken(_TAKEN) from error


def _state(user: User) -> str:
    return user.get_session_auth_hash()[:16] + user.email
