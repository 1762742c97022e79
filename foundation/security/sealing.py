"""Encrypting secrets for SQL as Fernet tokens (AES-128-CBC, encrypt then authenticate), with keys from the settings.

Each purpose has its own key, derived with HKDF-SHA256 (RFC 5869) from each of ENCRYPTION_KEYS. A sealed text starts
with a version prefix, so that the format can change. The trap: unsealing needs the same purpose as sealing.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache
from typing import ClassVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from foundation.errors import SunwiError
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings

FORM = "f1."
WEBHOOK = "webhook"  # purposes: a text that is sealed for one cannot be unsealed for another
SIGNING = "signing"
SECOND_FACTOR = "second_factor"
_SALT = b"sunwi.sealing.v1"
_KEY_BYTES = 32


class Unsealable(SunwiError):
    """A stored secret that none of ENCRYPTION_KEYS can decrypt: it has another key, or was changed."""

    code: ClassVar[str] = "secret_unreadable"


def seal(text: str, purpose: str) -> str:
    """Encrypt ``text`` for ``purpose`` with the first key. The result differs each time."""
    return FORM + _first_fernet(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """Decrypt ``sealed``. Raises ``Unsealable`` if no key of ENCRYPTION_KEYS fits, or if it was changed."""
    fernets = MultiFernet([_fernet(secret, purpose) for secret in sunwi_settings.ENCRYPTION_KEYS])
    try:
        return fernets.decrypt(_token(sealed)).decode()
    except InvalidToken:
        raise Unsealable(
            Message(
                "A stored secret can not be opened: put the key that it was encrypted with into ENCRYPTION_KEYS, "
                "or make a new secret."
            )
        ) from None


def is_current(sealed: str, purpose: str) -> bool:
    """Whether ``sealed`` is encrypted with the first key. Raises ``Unsealable`` if it is not a sealed text."""
    try:
        _first_fernet(purpose).decrypt(_token(sealed))
    except InvalidToken:
        return False
    return True


def is_sealed(text: str) -> bool:
    """Whether ``text`` has the prefix of a sealed text."""
    return text.startswith(FORM)


def _token(sealed: str) -> str:
    if not is_sealed(sealed):
        raise Unsealable(Message("A stored secret is not in the form that this version writes: make a new secret."))
    return sealed.removeprefix(FORM)


def _first_fernet(purpose: str) -> Fernet:
    return _fernet(sunwi_settings.ENCRYPTION_KEYS[0], purpose)


@lru_cache(maxsize=64)
def _fernet(secret: str, purpose: str) -> Fernet:
    key = HKDF(SHA256(), _KEY_BYTES, _SALT, purpose.encode()).derive(secret.encode())
    return Fernet(urlsafe_b64encode(key))
