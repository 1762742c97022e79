"""Encrypt a message for one browser, as RFC 8291 says: only that browser can read it, the push service cannot.

``cryptography`` does the work; docs/decisions/0103 says why no library for web push is used. The trap: the key pair and
the salt belong to one message, so callers never pass them; only the test with the RFC's own example does.
"""

import os
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_BYTES = 4096
MOST_BYTES = 3993  # what fits one record, which is all that push services take
KEY_BYTES, SECRET_BYTES, SALT_BYTES = 65, 16, 16
LAST_RECORD = b"\x02"


def public_bytes(key: EllipticCurvePublicKey) -> bytes:
    """Return the 65 bytes of a public key: 4, x and y."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def read_public(key: bytes) -> EllipticCurvePublicKey:
    """Read the 65 bytes of a public key. Raises ``ValueError`` for what is no point of the curve P-256."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"A public key has {KEY_BYTES} bytes.")
    return EllipticCurvePublicKey.from_encoded_point(SECP256R1(), key)


def encrypt(
    message: bytes,
    browser_key: bytes,
    secret: bytes,
    key: EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Encrypt ``message``, at most ``MOST_BYTES``, for the browser with this public key and this secret of 16 bytes.

    Raises ``ValueError`` for a message that is too long, and for a key or a secret that is none.
    """
    if len(message) > MOST_BYTES:
        raise ValueError(f"A message has at most {MOST_BYTES} bytes.")
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"A secret has {SECRET_BYTES} bytes.")
    key = key or generate_private_key(SECP256R1())
    salt = salt or os.urandom(SALT_BYTES)
    own = public_bytes(key.public_key())
    shared = key.exchange(ECDH(), read_public(browser_key))
    base = _derive(secret, b"WebPush: info\0" + browser_key + own, 32)(shared)
    cipher = AESGCM(_derive(salt, b"Content-Encoding: aes128gcm\0", 16)(base))
    nonce = _derive(salt, b"Content-Encoding: nonce\0", 12)(base)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(own)]) + own
    return head + cipher.encrypt(nonce, message + LAST_RECORD, None)


def _derive(salt: bytes, info: bytes, length: int) -> Callable[[bytes], bytes]:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive
