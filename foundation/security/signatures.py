"""Signatures of requests: HMAC-SHA256 over method, address, time, nonce and body, with the key's signing secret.

Pure functions: nothing here reads a request, a clock or a table. docs/api.md tells callers how to sign; ``headers_of``
is the caller's side. The trap: the address is signed in a normalised form, however the caller's library encodes it.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar
from urllib.parse import quote

from foundation.errors import Unauthenticated

VERSION = "sunwi-v1"
TIMESTAMP, NONCE, SIGNATURE = HEADERS = ("Sunwi-Timestamp", "Sunwi-Nonce", "Sunwi-Signature")
SECRET_PREFIX = "sunwisig_"  # noqa: S105 - the prefix of each secret
_MOMENT = re.compile(r"[0-9]{1,12}", re.ASCII)
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)
_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})", re.ASCII)


class SignatureMissing(Unauthenticated):
    """The key demands a signature, and one of its headers is missing or malformed."""

    code: ClassVar[str] = "signature_missing"


class SignatureUnexpected(Unauthenticated):
    """Signed with a key that has no signing secret, so that the signature would not be checked."""

    code: ClassVar[str] = "signature_unexpected"


class SignatureExpired(Unauthenticated):
    """Signed too long ago, or too far in the future."""

    code: ClassVar[str] = "signature_expired"


class SignatureWrong(Unauthenticated):
    """The signature does not match this request and this key's signing secret."""

    code: ClassVar[str] = "signature_wrong"


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed parts of a request. ``address`` is in the form of ``address_of``."""

    method: str
    address: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Stamp:
    """The values of the three headers: Unix seconds, a nonce of 16 to 64 characters, and 64 hex digits."""

    moment: int
    nonce: str
    signature: str


def new_secret() -> str:
    """Generate a signing secret of 256 bits. Its whole text is the key of the HMAC."""
    return SECRET_PREFIX + secrets.token_hex(32)


def address_of(path: str, query: str) -> str:
    """Normalise a decoded path with its query: UTF-8, all but letters, digits, ``-._~/`` percent-encoded."""
    return quote(path, safe="/") + (f"?{query}" if query else "")


def headers_of(signed: Signed, nonce: str, at: datetime, secret: str) -> dict[str, str]:
    """The three headers of a request sent at ``at``."""
    moment = int(at.timestamp())
    return {
        TIMESTAMP: str(moment),
        NONCE: nonce,
        SIGNATURE: f"v1={_hmac(signed, str(moment), nonce, secret)}",
    }


def read(headers: Mapping[str, str], at: datetime, tolerated: timedelta) -> Stamp:
    """Parse the three headers; their time must be within ``tolerated`` of ``at``.

    Raises ``SignatureMissing`` or ``SignatureExpired``.
    """
    missing = [name for name in HEADERS if not headers.get(name)]
    if missing:
        raise SignatureMissing(f"This key demands a signature: send {', '.join(missing)}, as docs/api.md says.")
    moment, nonce, signature = (headers[name] for name in HEADERS)
    match = _SIGNATURE.fullmatch(signature)
    if not _MOMENT.fullmatch(moment) or str(int(moment)) != moment:
        raise SignatureMissing(f"{TIMESTAMP} must be the time in whole seconds since 1970, such as 1795264201.")
    if not _NONCE.fullmatch(nonce):
        raise SignatureMissing(f"{NONCE} must be 16 to 64 letters, digits, hyphens or underscores, new each time.")
    if match is None:
        raise SignatureMissing(f"{SIGNATURE} must be v1= and 64 small hexadecimal digits.")
    _refuse_expired(int(moment), at, tolerated)
    return Stamp(int(moment), nonce, match[1])


def verify(stamp: Stamp, signed: Signed, allowed: Iterable[str]) -> None:
    """Raise ``SignatureWrong`` unless the signature was made with one of the secrets ``allowed``; all are compared."""
    expected = [_hmac(signed, str(stamp.moment), stamp.nonce, secret) for secret in allowed]
    matches = [hmac.compare_digest(each, stamp.signature) for each in expected]
    if not any(matches):
        raise SignatureWrong(
            f"The signature does not fit this request ({signed.method} {signed.address[:200]}, "
            f"{len(signed.body):,} bytes): check the signing secret and the text that is signed."
        )


def _refuse_expired(moment: int, at: datetime, tolerated: timedelta) -> None:
    off = moment - at.timestamp()
    if abs(off) > tolerated.total_seconds():
        where = "ahead of" if off > 0 else "behind"
        raise SignatureExpired(
            f"{TIMESTAMP} is {abs(off):,.0f} s {where} this server's clock; {tolerated.total_seconds():.0f} s are "
            "allowed. Set the clock, and sign each try anew."
        )


def _hmac(signed: Signed, moment: str, nonce: str, secret: str) -> str:
    """The HMAC in hexadecimal, over six lines."""
    digest = hashlib.sha256(signed.body).hexdigest()
    lines = (VERSION, signed.method, signed.address, moment, nonce, digest)
    return hmac.digest(secret.encode(), "\n".join(lines).encode(), "sha256").hex()
