"""Secrets as SQL keeps them: Fernet tokens (AES-128-CBC, encrypt then authenticate), with keys from the settings.

Each purpose has a key of its own, drawn by HKDF-SHA256 (RFC 5869) from each of ENCRYPTION_KEYS. A sealed text begins
with the name of its form, so another form can follow. The trap: who opens must know the purpose that it was sealed for.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache
from typing import ClassVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from foundation.errors import SunwiError

FORM = "f1."
WEBHOOK = "webhook"  # purposes: what is sealed for one is not opened for another
SIGNING = "signing"
SECOND_FACTOR = "second_factor"
_SALT = b"sunwi.sealing.v1"
_KEY_BYTES = 32


class Unsealable(SunwiError):
    """A stored secret that none of the site's keys opens: another key sealed it, or it was changed."""

    code: ClassVar[str] = "secret_unreadable"


def seal(text: str, purpose: str) -> str:
    """``text`` encrypted for ``purpose`` with the first key; each time another result."""
    return FORM + _first(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """The text that ``sealed`` holds. Raises ``Unsealable`` where no key of ENCRYPTION_KEYS fits, or it was changed."""
    every = MultiFernet([_fernet(secret, purpose) for secret in settings.ENCRYPTION_KEYS])
    try:
        return every.decrypt(_token(sealed)).decode()
    except InvalidToken:
        raise Unsealable(
            "A stored secret can not be opened: put the key that it was encrypted with into ENCRYPTION_KEYS, "
            "or make a new secret."
        ) from None


def is_current(sealed: str, purpose: str) -> bool:
    """Whether the first key sealed it. Raises ``Unsealable`` for what was never sealed."""
    try:
        _first(purpose).decrypt(_token(sealed))
    except InvalidToken:
        return False
    return True


def is_sealed(text: str) -> bool:
    """Whether ``text`` looks like something that ``seal`` returned."""
    return text.startswith(FORM)


def _token(sealed: str) -> str:
    if not is_sealed(sealed):
        raise Unsealable("A stored secret is not in the form that this version writes: make a new secret.")
    return sealed.removeprefix(FORM)


def _first(purpose: str) -> Fernet:
    return _fernet(settings.ENCRYPTION_KEYS[0], purpose)


@lru_cache(maxsize=64)
def _fernet(secret: str, purpose: str) -> Fernet:
    drawn = HKDF(SHA256(), _KEY_BYTES, _SALT, purpose.encode()).derive(secret.encode())
    return Fernet(urlsafe_b64encode(drawn))
