"""Authenticator apps: codes of six digits that change each half minute (RFC 6238), by the package cryptography.

A code counts once, half a minute early or late. The trap: codes are few, so every try is counted first.
"""

import logging
import secrets
from base64 import b32encode
from datetime import datetime

from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.errors import WrongCode
from accounts.models import AuthenticatorApp, MailKind
from accounts.services.audit_actions import CODE_REUSED, FACTOR_ADDED, record_and_notify
from accounts.services.mails import owner_notices
from accounts.services.second_factors.throttle import throttle_second_factor
from foundation import audit
from foundation.security import sealing

logger = logging.getLogger(__name__)

STEP_SECONDS = 30
DIGITS = 6
_SECRET_BYTES = 20
_DRIFT = (0, -1, 1)
_WRONG = gettext_noop("This code is wrong, too old, or was used. Enter the code that the app shows now.")


def new_secret() -> str:
    """160 random bits, in hexadecimal digits."""
    return secrets.token_hex(_SECRET_BYTES)


def spelled(secret: str) -> str:
    """The secret as people type it into an app: base32, in groups of four."""
    text = b32encode(bytes.fromhex(secret)).decode().rstrip("=")
    return " ".join(text[nth : nth + 4] for nth in range(0, len(text), 4))


def address(secret: str, name: str, site: str) -> str:
    """What the QR code holds: ``otpauth://totp/…``."""
    return _totp(secret).get_provisioning_uri(name, site)


def confirm(user: User, secret: str, code: str, at: datetime) -> None:
    """Set the app up once it shows the right code; one that was there is replaced. Raises ``WrongCode``."""
    throttle_second_factor(user)
    step = _step_of(secret, code, at, after=0)
    if step is None:
        raise WrongCode(_WRONG)
    values = {"secret": sealing.seal(secret, sealing.SECOND_FACTOR), "last_step": step, "created_at": at}
    with transaction.atomic():
        AuthenticatorApp.objects.update_or_create(user=user, defaults=values)
        record_and_notify(FACTOR_ADDED, user, at, factor="app")


def use(user: User, code: str, at: datetime, on_known_device: bool = False) -> None:
    """Take a code, once. Raises ``WrongCode``, and ``RateLimited`` for who tries many; then nothing has changed, but
    that the code which was taken last, sent again, is in the logs and told to the owner: somebody may have caught it.
    Codes of earlier half minutes are refused like wrong ones: nobody knows whether they were ever sent."""
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
            _tell_reuse(user, at)
    raise WrongCode(_WRONG)


def _tell_reuse(user: User, at: datetime) -> None:
    """Nobody knows whether it was the owner, so the entry is by nobody."""
    logger.warning("A code of the authenticator app of account %s was sent a second time, and refused", user.pk)
    audit.record(CODE_REUSED, at=at, subjects=[("account", user.pk)])
    owner_notices.notify_owner(MailKind.CODE_REUSED, user, at, by=None)


def _step_of(secret: str, code: str, at: datetime, after: int) -> int | None:
    """The half minute that this is the code of, if it is later than ``after``."""
    typed, now = "".join(code.split()).encode(), int(at.timestamp()) // STEP_SECONDS
    steps = (now + drift for drift in _DRIFT)
    return next((n for n in steps if n > after and bytes_eq(_totp(secret).generate(n * STEP_SECONDS), typed)), None)


def _totp(secret: str) -> TOTP:
    return TOTP(bytes.fromhex(secret), DIGITS, SHA1(), STEP_SECONDS)  # noqa: S303 (what apps know; HMAC needs no more)
