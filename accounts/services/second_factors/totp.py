"""Authenticator apps: codes of six digits that change each half minute (RFC 6238), with the package cryptography.

A code works once, and up to half a minute early or late. The trap: there are few codes, so each try is counted first.
"""

import logging
import secrets
from base64 import b32encode
from datetime import datetime

from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction

from accounts.errors import WrongCode
from accounts.models import AuthenticatorApp, MailKind
from accounts.services.audit_actions import CODE_REUSED, FACTOR_ADDED, record_and_notify
from accounts.services.mails import owner_notices
from accounts.services.second_factors.throttle import throttle_second_factor
from foundation import audit
from foundation.messages import Message
from foundation.security import sealing
from foundation.users import User

logger = logging.getLogger(__name__)

STEP_SECONDS = 30
DIGITS = 6
_SECRET_BYTES = 20
_DRIFT = (0, -1, 1)
_WRONG = Message("This code is wrong, too old, or was used. Enter the code that the app shows now.")


def new_secret() -> str:
    """Generate 160 random bits in hexadecimal digits."""
    return secrets.token_hex(_SECRET_BYTES)


def spelled(secret: str) -> str:
    """The secret as people type it into an app: base32, in groups of four."""
    text = b32encode(bytes.fromhex(secret)).decode().rstrip("=")
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def address(secret: str, name: str, site: str) -> str:
    """The content of the QR code: ``otpauth://totp/…``."""
    return _totp(secret).get_provisioning_uri(name, site)


def confirm(user: User, secret: str, code: str, at: datetime) -> None:
    """Set up the app if the code is right; it replaces an earlier one. Raises ``WrongCode`` and ``RateLimited``."""
    throttle_second_factor(user)
    step = _step_of(secret, code, at, after=0)
    if step is None:
        raise WrongCode(_WRONG)
    values = {"secret": sealing.seal(secret, sealing.SECOND_FACTOR), "last_step": step, "created_at": at}
    with transaction.atomic():
        AuthenticatorApp.objects.update_or_create(user=user, defaults=values)
        record_and_notify(FACTOR_ADDED, user, at, factor="app")


def use(user: User, code: str, at: datetime, on_known_device: bool = False) -> None:
    """Use a code, once. Raises ``WrongCode`` and ``RateLimited``.

    If the last accepted code is sent again, it is logged and the owner gets a notice: somebody may have intercepted
    it. Older codes are refused like wrong ones, because it is unknown whether they were ever used.
    """
    throttle_second_factor(user, on_known_device)
    with transaction.atomic():
        app = AuthenticatorApp.objects.select_for_update().filter(user=user).first()
        secret = sealing.unseal(app.secret, sealing.SECOND_FACTOR) if app else ""
        step = _step_of(secret, code, at, after=app.last_step) if app else None
        if app is not None and step is not None:
            app.last_step = step
            app.save(update_fields=["last_step"])
            return
        if app is not None and _step_of(secret, code, at, after=app.last_step - 1) is not None:
            _report_reuse(user, at)
    raise WrongCode(_WRONG)


def _report_reuse(user: User, at: datetime) -> None:
    """Record the reuse without an actor: it is unknown whether it was the owner."""
    logger.warning("A code of the authenticator app of account %s was sent a second time, and refused", user.pk)
    audit.record(CODE_REUSED, at=at, subjects=[("account", user.pk)])
    owner_notices.notify_owner(MailKind.CODE_REUSED, user, at, by=None)


def _step_of(secret: str, code: str, at: datetime, after: int) -> int | None:
    """The time step of this code; None if it is wrong or not later than ``after``."""
    typed, now = "".join(code.split()).encode(), int(at.timestamp()) // STEP_SECONDS
    steps = (now + drift for drift in _DRIFT)
    return next((n for n in steps if n > after and bytes_eq(_totp(secret).generate(n * STEP_SECONDS), typed)), None)


def _totp(secret: str) -> TOTP:
    return TOTP(bytes.fromhex(secret), DIGITS, SHA1(), STEP_SECONDS)  # noqa: S303 - authenticator apps support SHA-1 only, and HMAC is safe with it
