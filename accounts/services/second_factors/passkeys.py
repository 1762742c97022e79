"""Registering and verifying passkeys and security keys (WebAuthn), with the package fido2.

A passkey must verify its user (finger, face, PIN), so it counts as two factors and signs in without a password. The
caller stores ``state`` in the session between the two steps and uses it once. The trap: a passkey is bound to one host
name; if the site moves to another, everybody must make new ones.
"""

from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
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
from foundation.messages import Message
from foundation.users import User, name_of

MOST = 20
_VERIFIED = UserVerificationRequirement.REQUIRED
_REFUSED = Message("This passkey was not accepted. Try again, or use another way.")
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError)


def ask_new(user: User, origin: str) -> tuple[dict[str, Any], Any]:
    """The browser's options for registering a passkey, and the state. Raises ``BadPasskey`` if there are 20 already."""
    existing = [_credential_of(each) for each in Passkey.objects.filter(user=user)]
    if len(existing) >= MOST:
        raise BadPasskey(Message("An account has at most 20 passkeys: take one away first."))
    handle = salted_hmac("accounts.passkeys", str(user.pk), algorithm="sha256").digest()
    name = name_of(user)
    entity = PublicKeyCredentialUserEntity(id=handle, name=name, display_name=name)
    options, state = _server(origin).register_begin(entity, existing, ResidentKeyRequirement.REQUIRED, _VERIFIED)
    return dict(options), state


def keep_new(user: User, name: str, answer: object, challenge: tuple[str, Any], at: datetime) -> Passkey:
    """Save the passkey that the browser made. ``challenge`` is origin and state. Raises ``BadPasskey``."""
    origin, state = challenge
    try:
        data = _server(origin).register_complete(state, _require_object(answer))
    except _UNREADABLE as error:
        raise BadPasskey(_REFUSED) from error
    credential = data.credential_data
    if credential is None:
        raise BadPasskey(_REFUSED)
    try:
        with transaction.atomic():
            passkey = Passkey.objects.create(
                user=user,
                name=name,
                credential_id=websafe_encode(credential.credential_id),
                credential=b64encode(bytes(credential)).decode(),
                sign_count=data.counter,
                created_at=at,
            )
            record_and_notify(FACTOR_ADDED, user, at, factor="passkey", name=name)
    except IntegrityError as error:
        raise BadPasskey(Message("This passkey belongs to an account already.")) from error
    return passkey


def ask_proof(origin: str, user: User | None = None) -> tuple[dict[str, Any], Any]:
    """The browser's options for any passkey of this site, or one of ``user``; and the state."""
    own = [_credential_of(each) for each in Passkey.objects.filter(user=user)] if user else None
    options, state = _server(origin).authenticate_begin(own, _VERIFIED)
    return dict(options), state


def prove(answer: object, challenge: tuple[str, Any], at: datetime, user: User | None = None) -> User:
    """Verify the answer and return the passkey's owner; with ``user`` only their passkeys. Raises ``BadPasskey``.

    A passkey whose counter did not increase may have been copied, and is refused.
    """
    try:
        response = AuthenticationResponse.from_dict(_require_object(answer))
        with transaction.atomic():
            return _verify(response, challenge, at, user)
    except _UNREADABLE as error:
        raise BadPasskey(_REFUSED) from error


def _verify(response: AuthenticationResponse, challenge: tuple[str, Any], at: datetime, user: User | None) -> User:
    origin, state = challenge
    rows = Passkey.objects.select_for_update(of=("self",)).select_related("user")
    row = rows.filter(credential_id=websafe_encode(response.raw_id), user__is_active=True).first()
    if row is None or (user is not None and row.user_id != user.pk):
        raise BadPasskey(_REFUSED)
    _server(origin).authenticate_complete(state, [_credential_of(row)], response)
    count = response.response.authenticator_data.counter
    if (count or row.sign_count) and count <= row.sign_count:
        raise BadPasskey(Message("This passkey may have been copied: take it away and make a new one."))
    row.sign_count, row.last_used_at = count, at
    row.save(update_fields=["sign_count", "last_used_at"])
    return row.user


def _require_object(answer: object) -> dict[str, Any]:
    """The answer if it is a JSON object. Raises ``TypeError`` otherwise."""
    if not isinstance(answer, dict):
        raise TypeError(answer)
    return answer


def _server(origin: str) -> Fido2Server:
    """A server for pages of exactly this origin (``https://boards.example``)."""
    host = urlsplit(origin).hostname or ""
    return Fido2Server(PublicKeyCredentialRpEntity(name="Sunwi", id=host), verify_origin=lambda sent: sent == origin)


def _credential_of(row: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(b64decode(row.credential))
