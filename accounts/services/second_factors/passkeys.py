"""Passkeys and security keys (WebAuthn), by the package fido2: made, shown, taken away.

Each is asked to verify its user (finger, face, PIN) and so is two factors in one: it signs in without a password.
What a browser must answer is in ``state``, which the caller keeps in the session and gives back once. The trap: a
passkey belongs to one host name for good; who moves the site to another asks everybody to make new ones.
"""

from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts.errors import BadPasskey
from accounts.models import Passkey
from accounts.services.audit_actions import FACTOR_ADDED, record_and_notify

MOST = 20
_VERIFIED = UserVerificationRequirement.REQUIRED
_REFUSED = gettext_noop("This passkey was not accepted. Try again, or use another way.")
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError)


def ask_new(user: User, origin: str) -> tuple[dict[str, Any], Any]:
    """What the browser is to be asked for a new passkey of ``user``, and the state. Raises ``BadPasskey`` over 20."""
    existing = [_opened(each) for each in Passkey.objects.filter(user=user)]
    if len(existing) >= MOST:
        raise BadPasskey(gettext_noop("An account has at most 20 passkeys: take one away first."))
    handle = salted_hmac("accounts.passkeys", str(user.pk), algorithm="sha256").digest()
    who = PublicKeyCredentialUserEntity(id=handle, name=user.username, display_name=user.username)
    options, state = _server(origin).register_begin(who, existing, ResidentKeyRequirement.REQUIRED, _VERIFIED)
    return dict(options), state


def keep_new(user: User, name: str, answer: object, asked: tuple[str, Any], at: datetime) -> Passkey:
    """Keep the passkey that the browser made. ``asked`` is origin and state. Raises ``BadPasskey``."""
    origin, state = asked
    try:
        data = _server(origin).register_complete(state, _written(answer))
    except _UNREADABLE as error:
        raise BadPasskey(_REFUSED) from error
    made = data.credential_data
    if made is None:
        raise BadPasskey(_REFUSED)
    try:
        with transaction.atomic():
            passkey = Passkey.objects.create(
                user=user,
                name=name,
                credential_id=websafe_encode(made.credential_id),
                credential=b64encode(bytes(made)).decode(),
                sign_count=data.counter,
                created_at=at,
            )
            record_and_notify(FACTOR_ADDED, user, at, factor="passkey", name=name)
    except IntegrityError as error:
        raise BadPasskey(gettext_noop("This passkey belongs to an account already.")) from error
    return passkey


def ask_proof(origin: str, user: User | None = None) -> tuple[dict[str, Any], Any]:
    """What the browser is to be asked for: any passkey of this site, or one of ``user``; and the state."""
    own = [_opened(each) for each in Passkey.objects.filter(user=user)] if user else None
    options, state = _server(origin).authenticate_begin(own, _VERIFIED)
    return dict(options), state


def prove(answer: object, asked: tuple[str, Any], at: datetime, user: User | None = None) -> User:
    """Whose passkey answered; with ``user``, theirs alone counts. Raises ``BadPasskey``.

    One whose counter did not go up was copied, and is refused.
    """
    origin, state = asked
    try:
        response = AuthenticationResponse.from_dict(_written(answer))
        with transaction.atomic():
            return _proven(response, (origin, state), at, user)
    except _UNREADABLE as error:
        raise BadPasskey(_REFUSED) from error


def _proven(response: AuthenticationResponse, asked: tuple[str, Any], at: datetime, user: User | None) -> User:
    origin, state = asked
    rows = Passkey.objects.select_for_update(of=("self",)).select_related("user")
    row = rows.filter(credential_id=websafe_encode(response.raw_id), user__is_active=True).first()
    if row is None or (user is not None and row.user_id != user.pk):
        raise BadPasskey(_REFUSED)
    _server(origin).authenticate_complete(state, [_opened(row)], response)
    count = response.response.authenticator_data.counter
    if (count or row.sign_count) and count <= row.sign_count:
        raise BadPasskey(gettext_noop("This passkey may have been copied: take it away and make a new one."))
    row.sign_count, row.last_used_at = count, at
    row.save(update_fields=["sign_count", "last_used_at"])
    return row.user


def _written(answer: object) -> dict[str, Any]:
    """An answer as a JSON object. Raises ``TypeError`` for anything else."""
    if not isinstance(answer, dict):
        raise TypeError(answer)
    return answer


def _server(origin: str) -> Fido2Server:
    """For pages of exactly this origin (``https://boards.example``)."""
    host = urlsplit(origin).hostname or ""
    return Fido2Server(PublicKeyCredentialRpEntity(name="Sunwi", id=host), verify_origin=lambda told: told == origin)


def _opened(row: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(b64decode(row.credential))
