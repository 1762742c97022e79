"""Taking second factors away: one by its owner, or all by staff for somebody who has lost them."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.errors import LastFactor
from accounts.models import AuthenticatorApp, MailKind, Passkey, RecoveryCode
from accounts.selectors.factors import has_factor, must_have_factor
from accounts.services.audit_actions import FACTOR_REMOVED, FACTORS_FORGOTTEN, record_and_notify
from accounts.services.mails import owner_notices
from foundation import audit

LAST_FACTOR = gettext_noop("Staff need a second factor here: set up another one first.")


@transaction.atomic
def remove_app(user: User, at: datetime) -> None:
    """Take the authenticator app away. Raises ``LastFactor`` where nothing would be left of what is required."""
    _hold(user)
    if AuthenticatorApp.objects.filter(user=user).delete()[0]:
        record_and_notify(FACTOR_REMOVED, user, at, factor="app")
    _refuse_none_left(user)


@transaction.atomic
def remove_passkey(user: User, number: int, at: datetime) -> None:
    """Take one of their passkeys away; none of this number is none. Raises ``LastFactor``."""
    _hold(user)
    if (passkey := Passkey.objects.filter(user=user, pk=number).first()) is not None:
        passkey.delete()
        record_and_notify(FACTOR_REMOVED, user, at, factor="passkey", name=passkey.name)
    _refuse_none_left(user)


@transaction.atomic
def forget_all(user: User, by: User | None, at: datetime) -> None:
    """Take all away, codes too: the next time they sign in by the password alone, and set up new ones. Of who has none
    nothing is told."""
    _hold(user)
    factors = [{"factor": "passkey", "name": each.name} for each in Passkey.objects.filter(user=user).order_by("pk")]
    Passkey.objects.filter(user=user).delete()
    if AuthenticatorApp.objects.filter(user=user).delete()[0]:
        factors.append({"factor": "app"})
    if RecoveryCode.objects.filter(user=user).delete()[0]:
        factors.append({"factor": "codes"})
    if factors:
        owner_notices.notify_owner(MailKind.FACTOR_REMOVED, user, at, by=by, factors=factors)
        audit.record(FACTORS_FORGOTTEN, at=at, by=by, subjects=[("account", user.pk)])


def _hold(user: User) -> None:
    User.objects.select_for_update().get(pk=user.pk)


def _refuse_none_left(user: User) -> None:
    if must_have_factor(user) and not has_factor(user):
        raise LastFactor(LAST_FACTOR)
    if not has_factor(user):
        RecoveryCode.objects.filter(user=user).delete()
