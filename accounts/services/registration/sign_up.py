"""Making an account by a mailed link (``SIGN_UP=open``) or by an invitation (also ``SIGN_UP=invitation``).

The page answers the same for every address; only the mailbox learns whether it has an account.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from accounts.errors import AlreadyTaken, NoLongerValid
from accounts.models import Invitation, ProvenEmail
from accounts.services.audit_actions import SIGNED_UP, record_and_notify
from accounts.services.mails import links
from foundation.messages import Message
from foundation.users import EMAIL, User, users

_HAS_ACCOUNT = Message("This address has an account already. Sign in, or ask for a new password.")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the form has validated: a password, and what else the user model asks for, by the names of its columns."""

    columns: Mapping[str, Any]
    password: str


def has_account(email: str) -> bool:
    """Whether an account has this address, ignoring case."""
    return users().filter(email__iexact=email).exists() or ProvenEmail.objects.filter(email__iexact=email).exists()


def address_in(token: str) -> str:
    """The address that a mailed link confirms. Raises ``NoLongerValid``, also if it has an account now."""
    email = str(links.read(links.SIGN_UP, token))
    if has_account(email):
        raise NoLongerValid(_HAS_ACCOUNT)
    return email


def invitation_in(token: str, at: datetime) -> Invitation:
    """The invitation of a link. Raises ``NoLongerValid``."""
    number = links.read(links.INVITATION, token, None)
    return _require_open(Invitation.objects.filter(pk=number).first(), at)


def finish(token: str, wanted: Wanted, at: datetime) -> User:
    """Make the account of a mailed link. Raises ``NoLongerValid`` and ``AlreadyTaken``; then nothing has changed."""
    email = address_in(token)
    with _translate_conflicts(), transaction.atomic():
        return _make(wanted, email, at)


def accept(token: str, wanted: Wanted, at: datetime) -> User:
    """Make the account of an invitation, once. Raises as ``finish``."""
    number = invitation_in(token, at).pk
    with _translate_conflicts(), transaction.atomic():
        invitation = _require_open(Invitation.objects.select_for_update().filter(pk=number).first(), at)
        if invitation.email and has_account(invitation.email):
            raise NoLongerValid(_HAS_ACCOUNT)
        user = _make(wanted, invitation.email, at)
        invitation.used_at, invitation.used_by = at, user
        invitation.save(update_fields=["used_at", "used_by"])
        return user


def _require_open(invitation: Invitation | None, at: datetime) -> Invitation:
    if invitation is None or not invitation.is_open(at):
        raise NoLongerValid(Message("This invitation was used, taken back, or has expired. Ask for a new one."))
    return invitation


def _make(wanted: Wanted, email: str, at: datetime) -> User:
    columns = {**wanted.columns, **({EMAIL: email} if email else {})}
    user = users().create_user(**{EMAIL: "", **columns}, password=wanted.password)
    if email:
        ProvenEmail.objects.create(user=user, email=email, proven_at=at)
    record_and_notify(SIGNED_UP, user, at)
    return user


@contextmanager
def _translate_conflicts() -> Iterator[None]:
    """Raise ``AlreadyTaken`` if another request took the name or address at the same moment."""
    try:
        yield
    except IntegrityError as error:
        raise AlreadyTaken(Message("Somebody has this name or address already. Choose another name.")) from error
