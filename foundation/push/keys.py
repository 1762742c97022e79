"""The key of the site, by which push services know who sends (VAPID, RFC 8292), and texts in base64url."""

import base64
import binascii
import json
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from foundation.push.encryption import public_bytes

KEY_BYTES = 32
GOOD_FOR = timedelta(hours=12)  # push services refuse more than 24


def new_key() -> str:
    """Return a new private key as text for ``PUSH_KEY``."""
    return encode(generate(SECP256R1()).private_numbers().private_value.to_bytes(KEY_BYTES, "big"))


def read_key(text: str) -> EllipticCurvePrivateKey:
    """Read a private key. Raises ``ValueError``."""
    content = decode(text)
    if len(content) != KEY_BYTES:
        raise ValueError(f"A key has {KEY_BYTES} bytes in base64url.")
    return derive_private_key(int.from_bytes(content, "big"), SECP256R1())


def public_key(text: str) -> str:
    """Return the public part of a private key, which browsers subscribe with."""
    return encode(public_bytes(read_key(text).public_key()))


def authorization(text: str, endpoint: str, site: str, at: datetime) -> str:
    """Return the header that tells the push service of ``endpoint`` that ``site`` sends, signed with the key."""
    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int((at + GOOD_FOR).timestamp()), "sub": site}
    signed = f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}"
    first, second = decode_dss_signature(read_key(text).sign(signed.encode(), ECDSA(SHA256())))
    signature = encode(first.to_bytes(KEY_BYTES, "big") + second.to_bytes(KEY_BYTES, "big"))
    return f"vapid t={signed}.{signature}, k={public_key(text)}"


def encode(content: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Read base64url, with or without padding. Raises ``ValueError``."""
    if not text.isascii():
        raise ValueError("It is not base64url.")
    try:
        plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("It is not base64url.") from error


def _json(value: object) -> str:
    return encode(json.dumps(value, separators=(",", ":")).encode())
