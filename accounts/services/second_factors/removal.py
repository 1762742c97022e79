"""Removing second factors: one by its owner, or all by staff for an owner who has lost them."""

from datetime import datetime

from django.db import transaction

from accounts.errors import LastFactor
from accounts.models import AuthenticatorApp, MailKind, Passkey, RecoveryCode
from accounts.selectors.factors import has_factor, must_have_factor
from accounts.services.audit_actions import FACTOR_REMOVED, FACTORS_FORGOTTEN, record_and_notify
from accounts.services.mails import owner_notices
from foundation import audit
from foundation.messages import Message
from foundation.users import User, users

LAST_FACTOR = Message("Staff need a second factor here: set up another one first.")


@transaction.atomic
def remove_app(user: User, at: datetime) -> None:
    """Remove the authenticator app. Raises ``LastFactor`` if a required factor would be missing then."""
    _lock(user)
    if AuthenticatorApp.objects.filter(user=user).delete()[0]:
        record_and_notify(FACTOR_REMOVED, user, at, factor="app")
    _check_remaining(user)


@transaction.atomic
def remove_passkey(user: User, number: int, at: datetime) -> None:
    """Remove one of the user's passkeys, if it exists. Raises ``LastFactor``."""
    _lock(user)
    if (passkey := Passkey.objects.filter(user=user, pk=number).first()) is not None:
        passkey.delete()
        record_and_notify(FACTOR_REMOVED, user, at, factor="passkey", name=passkey.name)
    _check_remaining(user)


@transaction.atomic
def forget_all(user: User, by: User | None, at: datetime) -> None:
    """Remove all factors and recovery codes; the user then signs in with the password alone.

    Without any factor there is no entry and no notice.
    """
    _lock(user)
    factors = [{"factor": "passkey", "name": each.name} for each in Passkey.objects.filter(user=user).order_by("pk")]
    Passkey.objects.filter(user=user).delete()
    if AuthenticatorApp.objects.filter(user=user).delete()[0]:
        factors.append({"factor": "app"})
    if RecoveryCode.objects.filter(user=user).delete()[0]:
        factors.append({"factor": "codes"})
    if factors:
        owner_notices.notify_owner(MailKind.FACTOR_REMOVED, user, at, by=by, factors=factors)
        audit.record(FACTORS_FORGOTTEN, at=at, by=by, subjects=[("account", user.pk)])


def _lock(user: User) -> None:
    users().select_for_update().get(pk=user.pk)


def _check_remaining(user: User) -> None:
    if must_have_factor(user) and not has_factor(user):
        raise LastFactor(LAST_FACTOR)
    if not has_factor(user):
        RecoveryCode.objects.filter(user=user).delete()
