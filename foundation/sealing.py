"""Secrets as SQL keeps them: encrypted and authenticated, with keys that come from the settings.

HMAC-SHA256 makes the key stream (counter mode) and the tag (encrypt, then authenticate), with keys of their own for
each purpose (HKDF). See docs/decisions/0044 for why no cipher of a library. A sealed text begins with the name of its
form, so another form can follow. The trap: who opens must know the purpose that it was sealed for.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import ClassVar, NamedTuple

from django.conf import settings

from foundation.errors import SunwiError

FORM = "hs1."
WEBHOOK = "webhook"  # purposes: what is sealed for one is not opened for another
SIGNING = "signing"
_SALT = b"sunwi.sealing.v1"
_NONCE_BYTES = 24
_TAG_BYTES = 32


class Unsealable(SunwiError):
    """A stored secret that none of the site's keys opens: another key sealed it, or it was changed."""

    code: ClassVar[str] = "secret_unreadable"


class _Keys(NamedTuple):
    encrypt: bytes
    authenticate: bytes


def seal(text: str, purpose: str) -> str:
    """``text`` encrypted for ``purpose`` with the first key; each time another result."""
    keys = _derived(settings.ENCRYPTION_KEYS[0], purpose)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    covered = nonce + _crossed(text.encode(), keys.encrypt, nonce)
    return FORM + urlsafe_b64encode(covered + _tag(covered, keys)).decode()


def unseal(sealed: str, purpose: str) -> str:
    """The text that ``sealed`` holds. Raises ``Unsealable`` where no key of ENCRYPTION_KEYS fits, or it was changed."""
    covered, tag = _parts(sealed)
    for secret in settings.ENCRYPTION_KEYS:
        keys = _derived(secret, purpose)
        if hmac.compare_digest(tag, _tag(covered, keys)):
            return _crossed(covered[_NONCE_BYTES:], keys.encrypt, covered[:_NONCE_BYTES]).decode()
    raise Unsealable(
        "A stored secret can not be opened: put the key that it was encrypted with into ENCRYPTION_KEYS, "
        "or make a new secret."
    )


def is_current(sealed: str, purpose: str) -> bool:
    """Whether the first key sealed it. Raises ``Unsealable`` for what was never sealed."""
    covered, tag = _parts(sealed)
    return hmac.compare_digest(tag, _tag(covered, _derived(settings.ENCRYPTION_KEYS[0], purpose)))


def is_sealed(text: str) -> bool:
    """Whether ``text`` looks like something that ``seal`` returned."""
    return text.startswith(FORM)


def _parts(sealed: str) -> tuple[bytes, bytes]:
    """What the tag covers, and the tag."""
    try:
        raw = urlsafe_b64decode(sealed.removeprefix(FORM)) if is_sealed(sealed) else b""
    except ValueError:
        raw = b""
    if len(raw) < _NONCE_BYTES + _TAG_BYTES:
        raise Unsealable("A stored secret is not in the form that this version writes: make a new secret.")
    return raw[:-_TAG_BYTES], raw[-_TAG_BYTES:]


def _tag(covered: bytes, keys: _Keys) -> bytes:
    return hmac.digest(keys.authenticate, FORM.encode() + covered, "sha256")


def _crossed(text: bytes, key: bytes, nonce: bytes) -> bytes:
    """``text`` XOR the key stream of ``key`` and ``nonce``; the same function encrypts and decrypts."""
    blocks = range(-(-len(text) // hashlib.sha256().digest_size))
    stream = b"".join(hmac.digest(key, nonce + block.to_bytes(4, "big"), "sha256") for block in blocks)
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))


@lru_cache(maxsize=64)
def _derived(secret: str, purpose: str) -> _Keys:
    """HKDF-SHA256 (RFC 5869), a block for each of the two."""
    drawn = hmac.digest(_SALT, secret.encode(), "sha256")
    return _Keys(*(hmac.digest(drawn, f"{purpose}:{use}\x01".encode(), "sha256") for use in _Keys._fields))
